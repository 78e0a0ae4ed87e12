import { OnlyDryRun } from '#shared/api/body.ts'
import { badRequest, tooLarge, unsupportedMedia } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import { queryOf } from './path.ts'

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

/** Of a call that takes nothing else: in its body, or in its query as `?dry_run=true`. */
export async function onlyDryRun(request: Request): Promise<{ dry_run: boolean }> {
  const asked = new URLSearchParams(queryOf(request.url)).get('dry_run')
  const named = asked === null ? {} : { dry_run: { true: true, false: false }[asked] ?? asked }
  return parse(OnlyDryRun, { ...Object(await readJson(request)), ...named })
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
