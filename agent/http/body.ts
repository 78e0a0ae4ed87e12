import { badRequest, tooLarge, unsupportedMedia } from '#shared/errors.ts'

const MAX_BODY = 1 << 20

/** The JSON of a request, read with an own counter: a chunked body has no length to check. */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? 'application/json'
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw unsupportedMedia('The body must be application/json')
  }
  const text = new TextDecoder().decode(await readBytes(request))
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('Malformed JSON')
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > MAX_BODY) throw tooLarge('The body must have at most 1 MiB')
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
