import { badRequest, tooLarge, unsupportedMedia } from '#shared/kernel/errors.ts'

export interface BodyLimits {
  most_kib: number
  within_ms: number
}

const DEFAULT_LIMITS: BodyLimits = { most_kib: 1024, within_ms: 30_000 }
/** The limits of an unauthenticated caller: thousands of them need little memory. */
export const ANONYMOUS_LIMITS: BodyLimits = { most_kib: 16, within_ms: 15_000 }

export type JsonFields = Readonly<Record<string, unknown>>

/**
 * Reads the JSON object in the body of a request, default `{}`. Throws 413 when it is too large,
 * 415 for another media type (a form of another page could send those), 400 for malformed JSON, for
 * any other value than an object, and for a body that arrives too slowly.
 */
export async function readJson(
  request: Request,
  limits: BodyLimits = DEFAULT_LIMITS,
): Promise<JsonFields> {
  const bytes = await readBytes(request, limits)
  if (bytes.byteLength === 0) return {}
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    throw unsupportedMedia('The body must be application/json')
  const value = parseJson(bytes)
  if (!isObject(value)) throw badRequest('The body must be a JSON object')
  return value
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badRequest('Malformed JSON')
  }
}

const isObject = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the bytes of a body. Throws like readJson. */
export async function readBytes(
  request: Request,
  { most_kib, within_ms }: BodyLimits,
): Promise<Uint8Array> {
  const most = most_kib * 1024
  if (Number(request.headers.get('content-length') ?? 0) > most) throw refusedBody(most)
  const reader = request.body?.getReader()
  if (!reader) return new Uint8Array()
  let late = false
  const timer = setTimeout(() => {
    late = true
    reader.cancel().catch(() => undefined)
  }, within_ms)
  const bytes = await allOf(reader, most).finally(() => clearTimeout(timer))
  if (late) throw badRequest(`The body must arrive within ${within_ms / 1000} seconds`)
  return bytes
}

async function allOf(reader: ReadableStreamDefaultReader<Uint8Array>, most: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    size += value.byteLength
    if (size > most) throw refusedBody(most)
    chunks.push(value)
  }
}

const refusedBody = (most: number) =>
  tooLarge(
    `The body must have at most ${most < 1 << 20 ? `${most / 1024} KiB` : `${most / (1 << 20)} MiB`}`,
  )
