import type { Build } from '#dashboard/kernel/agents/builds.ts'

const HEADERS = { 'content-type': 'application/gzip' }

/** Sends a compressed build, from a file or compressed on its way, which takes seconds. */
export function downloadOf({ path, gzip }: Build, method: string): Response {
  const headers = gzip ? { ...HEADERS, 'content-length': String(gzip.bytes) } : HEADERS
  if (method === 'HEAD') return new Response(null, { headers })
  if (gzip) return new Response(Bun.file(gzip.path), { headers })
  const body = Bun.file(path).stream().pipeThrough(new CompressionStream('gzip'))
  return new Response(body, { headers })
}
