import { withTimeout } from '#agent/kernel/host/with-timeout.ts'
import { badRequest, tooLarge, unsupportedMedia } from '#shared/kernel/errors.ts'

const MAX_BODY = 1 << 20
/** The maximum size of an enrolment, which anybody may send while it is open. */
export const MAX_ENROLMENT = 4 << 10
/** The size that is read and discarded, so that a client that sent too much reads the answer. */
const MAX_DRAINED = 8 << 20

const BODY_MS = 10_000

/** Parses the JSON object in a body. Throws unsupported_media and bad_request. */
export function jsonOf(request: Request, body: Uint8Array): object {
  const type = request.headers.get('content-type') ?? 'application/json'
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw unsupportedMedia('The body must be application/json')
  }
  const value = parsed(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('The body must be a JSON object')
  return value
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw badRequest('Malformed JSON')
  }
}

/** Reads a body with its own byte counter (a chunked one has no length) and a time limit. */
export function readBytes(request: Request, most = MAX_BODY): Promise<Uint8Array> {
  return withTimeout(BODY_MS, collect(request, most), () =>
    badRequest('The body arrived too slowly'),
  )
}

async function collect(request: Request, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > MAX_DRAINED) break
    if (size <= most) chunks.push(chunk)
  }
  if (size > most) {
    const shown = most === MAX_BODY ? '1 MiB' : `${most / 1024} KiB`
    throw tooLarge(`The body must have at most ${shown}`)
  }
  return Buffer.concat(chunks)
}
