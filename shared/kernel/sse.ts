import { object, z } from 'zod'
import { ServiceError } from './errors.ts'

/**
 * One event of an operation: `id` counts from 1 without gaps. A `step` has the number of the event
 * before it, 0 before the first: a client that resumes there gets the steps after it again.
 */
export const StoredEvent = object({
  id: z.number().int().nonnegative(),
  event: z.enum(['log', 'step', 'complete', 'error']),
  data: z.record(z.string(), z.unknown()),
}).refine(({ id, event }) => id > 0 || event === 'step')
export type StoredEvent = z.infer<typeof StoredEvent>
export type NumberedEvent = StoredEvent & { event: Exclude<StoredEvent['event'], 'step'> }

export const isNumbered = (event: StoredEvent): event is NumberedEvent => event.event !== 'step'

/** The comment that keeps a quiet stream open; it is no event. */
export const PING = ': ping\n\n'
export const PING_INTERVAL_MS = 10_000

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const

/** Encodes an event; JSON escapes every newline, so data is always one line. */
export function encodeEvent({ id, event, data }: StoredEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export function isTerminal({ event }: Pick<StoredEvent, 'event'>): boolean {
  return event === 'complete' || event === 'error'
}

const MAX_EVENT = 2 << 20

/**
 * Reads an event stream as it arrives (HTML Living Standard 9.2) in the form of our own encoder. Throws
 * a ServiceError for an event over 2 MiB or a malformed one: the sender is not trusted.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StoredEvent> {
  const decoder = new TextDecoder()
  const block = new EventBlock()
  for await (const chunk of chunks) {
    for (const part of linesOf(decoder.decode(chunk, { stream: true }))) {
      const event = block.add(part)
      if (event) yield event
    }
  }
}

/** Yields lines with their newlines; the last one may have none. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    yield end < 0 ? text.slice(from) : text.slice(from, end + 1)
    from = end < 0 ? text.length : end + 1
  }
}

/** The lines since the last empty one, and the pieces of an incomplete line. */
class EventBlock {
  #lines: string[] = []
  #pieces: string[] = []
  #size = 0

  /** Takes a text with at most one newline, at its end; returns the event that it completes. */
  add(text: string): StoredEvent | undefined {
    if (text === '\n' && this.#size === 0) return undefined
    this.#size += text.length
    if (this.#size > MAX_EVENT) throw malformed()
    this.#pieces.push(text)
    if (!text.endsWith('\n')) return undefined
    const line = this.#pieces.join('').slice(0, -1)
    this.#pieces = []
    if (line !== '') {
      this.#lines.push(line)
      return undefined
    }
    const lines = this.#lines
    this.#lines = []
    this.#size = 0
    return decodeEvent(lines)
  }
}

function decodeEvent(lines: readonly string[]): StoredEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''))
  }
  if (fields.size === 0) return undefined
  const parsed = StoredEvent.safeParse({
    id: Number(fields.get('id')),
    event: fields.get('event'),
    data: parseJson(fields.get('data') ?? ''),
  })
  if (!parsed.success) throw malformed()
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed()
  }
}

const malformed = () => new ServiceError('offline', { message: 'The agent sent a malformed event' })
