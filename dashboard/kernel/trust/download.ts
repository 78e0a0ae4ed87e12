import type { Build } from '#dashboard/kernel/agents/builds.ts'

const HEADERS = { 'content-type': 'application/gzip' }

/**
 * Sends a build, compressed: from a file, else while it is sent, which takes seconds of a
 * processor.
 */
export function downloadOf({ path, gzip }: Build, method: string): Response {
  const headers = gzip ? { ...HEADERS, 'content-length': String(gzip.bytes) } : HEADERS
  if (method === 'HEAD') return new Response(null, { headers })
  if (gzip) return new Response(Bun.file(gzip.path), { headers })
  const body = Bun.file(path).stream().pipeThrough(new CompressionStream('gzip'))
  return new Response(body, { headers })
}
