import { badRequest, tooLarge, unsupportedMedia } from '#shared/errors.ts'

const MAX_BODY = 1 << 20

/**
 * The JSON body of a request, `{}` when there is none. 413 over 1 MiB, 415 for another media type
 * (a form of another page could send those), 400 for malformed JSON.
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request)
  if (bytes.byteLength === 0) return {}
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    throw unsupportedMedia('The body must be application/json')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badRequest('Malformed JSON')
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY) throw refused()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BODY) throw refused()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const refused = () => tooLarge('The body must have at most 1 MiB')
