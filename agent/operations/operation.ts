import type { Limits } from '#agent/steps/time-limits.ts'
import type { Warning } from '#shared/agent.ts'
import { bodyOf, cancelledError } from '#shared/errors.ts'
import { isNumbered, isTerminal, type StoredEvent } from '#shared/sse.ts'
import { StepChange } from '#shared/steps.ts'
import type { OperationStore } from './store.ts'

type Kind = StoredEvent['event']
type Data = StoredEvent['data']

const LEFT_OUT = 'The rest of the output is left out: it is over the limit of the operation'
/** How often a disk that took no more is asked again. */
const RETRY_MS = 5000
/** Of one line: what is longer is cut. */
const MAX_LINE = 16 << 10

interface Kept {
  /** Without it the operation is forgotten with the process: for what only reads. */
  store?: OperationStore
  events?: StoredEvent[]
  /** Default: none. */
  limits?: Pick<Limits, 'output_bytes' | 'events'>
  sleep?: (ms: number) => Promise<void>
}

/**
 * The events of one operation, numbered from 1 without gaps; anybody may follow them, from any of them.
 * Changes of steps stand between them, without a number of their own.
 */
export class Operation {
  readonly id: string
  /** Absent for one that was cancelled before it came. */
  readonly fingerprint: string | undefined
  readonly #events: StoredEvent[]
  readonly #limits: Kept['limits']
  readonly #store: OperationStore | undefined
  readonly #sleep: (ms: number) => Promise<void>
  #bytes: number
  /** The number of the last event. */
  #last: number
  #full = false
  #waiting: (() => void)[] = []
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    id: string,
    fingerprint: string | undefined,
    { store, events, limits, sleep }: Kept = {},
  ) {
    this.id = id
    this.fingerprint = fingerprint
    this.#store = store
    this.#events = events ?? []
    this.#limits = limits
    this.#sleep = sleep ?? untilTimeout
    const numbered = this.#events.filter(isNumbered)
    this.#bytes = numbered.reduce((sum, { data }) => sum + sizeOf(data), 0)
    this.#last = numbered.length
  }

  get ended(): boolean {
    const last = this.#events.at(-1)
    return last !== undefined && isTerminal(last)
  }

  /** The changes of its steps until now. */
  get steps(): StepChange[] {
    return this.#events.flatMap(({ event, data }) =>
      event === 'step' ? (StepChange.safeParse(data).data ?? []) : [],
    )
  }

  add(news: string | StepChange): Promise<void> {
    return typeof news === 'string' ? this.log(news) : this.#add('step', { ...news })
  }

  /** What is over the limits of the operation is left out, and the last line then says so. */
  async log(message: string): Promise<void> {
    if (this.#full) return
    const short = message.length > MAX_LINE ? `${message.slice(0, MAX_LINE)}…` : message
    this.#bytes += sizeOf({ message: short })
    const { output_bytes = Infinity, events = Infinity } = this.#limits ?? {}
    this.#full = this.#bytes > output_bytes || this.#last + 1 >= events
    await this.#add('log', { message: this.#full ? LEFT_OUT : short })
  }

  /** Warnings are kept in the event, and go to those alone who ask for them. */
  complete(result: Data, warnings: readonly Warning[] = []): Promise<void> {
    const more = warnings.length > 0 ? { warnings } : {}
    return this.#add('complete', { status: 'ok', ...result, ...more })
  }

  fail(error: unknown): Promise<void> {
    return this.#add('error', { ...bodyOf(error) })
  }

  /** One that ended before it began. */
  static cancelled(id: string, fingerprint?: string): Operation {
    const data = { ...cancelledError().body }
    return new Operation(id, fingerprint, { events: [{ id: 1, event: 'error', data }] })
  }

  /**
   * The events after the given one; ends with the terminal event or when the signal aborts. With `steps`
   * also the changes of steps since the given event.
   */
  async *follow(after: number, signal: AbortSignal, steps = false): AsyncGenerator<StoredEvent> {
    for await (const event of this.#since(after, signal))
      if (isNumbered(event) ? event.id > after : steps) yield event
  }

  async *#since(after: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
    const first = this.#events.findIndex(({ id }) => id >= after)
    let next = first < 0 ? this.#events.length : first
    while (!signal.aborted) {
      const event = this.#events[next]
      if (event) {
        next += 1
        yield event
        if (isTerminal(event)) return
      } else if (this.ended) return
      else await this.#changed(signal)
    }
  }

  /** One after the other, so that the numbers on the disk are in order. */
  #add(event: Kind, data: Data): Promise<void> {
    const added = this.#turn.then(() => this.#write(event, data))
    this.#turn = added
    return added
  }

  /**
   * On the disk first, then to those who follow: what was seen cannot be lost. Of a disk that takes no
   * more, nobody sees the lines that it did not take, and a success waits for it: the next process would
   * not know of it. A failure does not wait: to the next process it is one, too.
   */
  async #write(event: Kind, data: Data): Promise<void> {
    if (this.ended) return
    const stored = { id: event === 'step' ? this.#last : this.#last + 1, event, data }
    const kept = await this.#keep(stored)
    if (!kept && !isTerminal(stored)) return
    this.#last = stored.id
    if (!kept) {
      const later = this.#keepLater(stored)
      if (event === 'complete') await later
    }
    this.#events.push(stored)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async #keep(event: StoredEvent): Promise<boolean> {
    try {
      await this.#store?.addEvent(this.id, event)
      return true
    } catch {
      return false
    }
  }

  async #keepLater(event: StoredEvent): Promise<void> {
    do await this.#sleep(RETRY_MS)
    while (!(await this.#keep(event)))
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

const untilTimeout = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const sizeOf = (data: Data) => Buffer.byteLength(JSON.stringify(data))
