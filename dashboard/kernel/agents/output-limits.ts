import { ServiceError } from '#shared/kernel/errors.ts'

/** The stored output of one operation. Agents respect these limits; a hostile one does not. */
const KEPT = { lines: 20_000, bytes: 4 << 20, characters: 16_384 }
/** The output of an agent for one operation before it fails: twice as much, in bytes of the stream. */
const SENT = { events: 50_000, bytes: 32 << 20 }

type Line = { message: string }

export const LEFT_OUT: Line = {
  message: 'The rest of the output is omitted: an operation keeps 20,000 lines and 4 MiB',
}

/** The stored output of an operation: `cut` when its last line says that the rest is omitted. */
export interface Stored {
  last: number
  /** The first events, which are not the agent's. */
  own: number
  bytes: number
  cut: boolean
}

const sizeOf = (line: Line) => Buffer.byteLength(JSON.stringify(line))
const NOTE = sizeOf(LEFT_OUT)

/** Decides which lines of an operation are stored. */
export class OutputBudget {
  #lines: number
  #bytes: number
  #cut: boolean

  constructor({ last, bytes, cut }: Stored) {
    this.#lines = last
    this.#bytes = bytes
    this.#cut = cut
  }

  /** The text to store for a line; undefined when the rest is omitted. */
  take(message: string): Line | undefined {
    if (this.#cut) return undefined
    const line = { message: message.slice(0, KEPT.characters) }
    const size = sizeOf(line)
    this.#lines += 1
    this.#cut = this.#lines >= KEPT.lines || this.#bytes + size + NOTE > KEPT.bytes
    this.#bytes += size
    return this.#cut ? LEFT_OUT : line
  }
}

/** The remaining budget of the agent of one operation, over all of its connections. */
export class Allowance {
  #events = 0
  #bytes = 0

  /** Throws when the agent has sent too much: a retry would not help. */
  received({ events = 0, bytes = 0 }: { events?: number; bytes?: number }): void {
    this.#events += events
    this.#bytes += bytes
    if (this.#events <= SENT.events && this.#bytes <= SENT.bytes) return
    throw new ServiceError('internal', { message: TOO_MUCH })
  }
}

const TOO_MUCH = 'The agent sent more than 50,000 events or 32 MiB for one operation'

/** The error of an operation that exceeds the time limit. */
export const tooLong = () =>
  new ServiceError('internal', {
    message: 'The operation exceeded the time limit',
    refusal: 'timed_out',
  })
