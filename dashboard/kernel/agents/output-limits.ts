import { ServiceError } from '#shared/kernel/errors.ts'

/** The limits of the stored output of one operation, for hostile agents. */
const MAX_STORED = { lines: 20_000, bytes: 4 << 20, characters: 16_384 }
/** The limits of the received output of one operation, after which it fails. */
const MAX_RECEIVED = { events: 50_000, bytes: 32 << 20 }

type Line = { message: string }

export const OMITTED_LINE: Line = {
  message: 'The rest of the output is omitted: an operation keeps 20,000 lines and 4 MiB',
}

/** The stored output of an operation; `cut` when its last line says that the rest is omitted. */
export interface StoredOutput {
  last: number
  /** The number of first events, which are not the agent's. */
  own: number
  bytes: number
  cut: boolean
}

const sizeOf = (line: Line) => Buffer.byteLength(JSON.stringify(line))
const OMITTED_SIZE = sizeOf(OMITTED_LINE)

/** Decides which lines of an operation are stored. */
export class OutputBudget {
  #lines: number
  #bytes: number
  #cut: boolean

  constructor({ last, bytes, cut }: StoredOutput) {
    this.#lines = last
    this.#bytes = bytes
    this.#cut = cut
  }

  /** Returns the line to store; undefined when the rest is omitted. */
  take(message: string): Line | undefined {
    if (this.#cut) return undefined
    const line = { message: message.slice(0, MAX_STORED.characters) }
    const size = sizeOf(line)
    this.#lines += 1
    this.#cut =
      this.#lines >= MAX_STORED.lines || this.#bytes + size + OMITTED_SIZE > MAX_STORED.bytes
    this.#bytes += size
    return this.#cut ? OMITTED_LINE : line
  }
}

/** Nothing more of an agent is read, which may continue its work. */
export class OutputExceeded extends ServiceError {}

/** The remaining budget of the agent of one operation, over all of its connections. */
export class ReceiveBudget {
  #events = 0
  #bytes = 0

  /** Throws when the agent has sent too much: a retry would not help. */
  received({ events = 0, bytes = 0 }: { events?: number; bytes?: number }): void {
    this.#events += events
    this.#bytes += bytes
    if (this.#events <= MAX_RECEIVED.events && this.#bytes <= MAX_RECEIVED.bytes) return
    throw new OutputExceeded('internal', { message: TOO_MUCH_TEXT })
  }
}

const TOO_MUCH_TEXT = 'The agent sent more than 50,000 events or 32 MiB for one operation'

export const timeLimitExceeded = () =>
  new ServiceError('internal', {
    message: 'The operation exceeded the time limit',
    refusal: 'timed_out',
  })
