import type { Clock } from '#agent/kernel/host/ports.ts'
import { bodyOf, cancelledError } from '#shared/kernel/errors.ts'
import { isNumbered, isTerminal, type StoredEvent } from '#shared/kernel/sse.ts'
import { StepChange } from '#shared/kernel/steps.ts'
import type { Warning } from '#shared/servers/agent.ts'
import type { OperationStore } from './store.ts'
import type { OperationLimits } from './time-limits.ts'

type EventName = StoredEvent['event']
type EventData = StoredEvent['data']

const OUTPUT_OMITTED = 'The rest of the output is omitted: it is over the limit of the operation'
/** The pause between attempts on a full disk. */
const RETRY_MS = 5000
/** The maximum length of a line; longer ones are cut. */
const MAX_LINE = 16 << 10

interface OperationOptions {
  /** The store; without it the operation ends with the process, as reading commands do. */
  store?: OperationStore
  events?: StoredEvent[]
  /** No limits by default. */
  limits?: Pick<OperationLimits, 'output_bytes' | 'events'>
  clock?: Pick<Clock, 'sleep'>
}

/**
 * The events of one operation, numbered from 1 without gaps; anybody may follow them from any number.
 * Changes of steps are between them, without a number.
 */
export class Operation {
  readonly id: string
  /** Absent for an operation that was cancelled before it arrived. */
  readonly fingerprint: string | undefined
  readonly #events: StoredEvent[]
  readonly #limits: OperationOptions['limits']
  readonly #store: OperationStore | undefined
  readonly #clock: Pick<Clock, 'sleep'>
  #bytes: number
  /** The number of the last event. */
  #last: number
  #full = false
  #waiting: (() => void)[] = []
  #turn: Promise<unknown> = Promise.resolve()

  constructor(
    id: string,
    fingerprint: string | undefined,
    { store, events, limits, clock = SYSTEM_CLOCK }: OperationOptions = {},
  ) {
    this.id = id
    this.fingerprint = fingerprint
    this.#store = store
    this.#events = events ?? []
    this.#limits = limits
    this.#clock = clock
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

  /** Adds a line. Those beyond the operation's limits are dropped, and the last line says so. */
  async log(message: string): Promise<void> {
    if (this.#full) return
    const short = message.length > MAX_LINE ? `${message.slice(0, MAX_LINE)}…` : message
    this.#bytes += sizeOf({ message: short })
    const { output_bytes = Infinity, events = Infinity } = this.#limits ?? {}
    this.#full = this.#bytes > output_bytes || this.#last + 1 >= events
    await this.#add('log', { message: this.#full ? OUTPUT_OMITTED : short })
  }

  /** Warnings are stored in the event, and sent only to callers that request them. */
  complete(result: EventData, warnings: readonly Warning[] = []): Promise<void> {
    const more = warnings.length > 0 ? { warnings } : {}
    return this.#add('complete', { status: 'ok', ...result, ...more })
  }

  fail(error: unknown): Promise<void> {
    return this.#add('error', { ...bodyOf(error) })
  }

  /** Returns an operation that ended before it started. */
  static cancelled(id: string, fingerprint?: string): Operation {
    const data = { ...cancelledError().body }
    return new Operation(id, fingerprint, { events: [{ id: 1, event: 'error', data }] })
  }

  /**
   * Yields the events after the given one; ends with the terminal event or when the signal aborts.
   * With `steps` also the changes of steps since the given event.
   */
  async *follow(after: number, signal: AbortSignal, steps = false): AsyncGenerator<StoredEvent> {
    for await (const event of this.#since(after, signal))
      if (isNumbered(event) ? event.id > after : steps) yield event
  }

  /** Waits for its end; returns the data of its error, if it failed. */
  async untilEnd(): Promise<EventData | undefined> {
    const events = await Array.fromAsync(this.follow(0, new AbortController().signal))
    return events.find(({ event }) => event === 'error')?.data
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

  /** Adds events one after another, so that the numbers on the disk are in order. */
  #add(event: EventName, data: EventData): Promise<void> {
    const added = this.#turn.then(() => this.#write(event, data))
    this.#turn = added
    return added
  }

  /**
   * Writes to the disk first, then to viewers: a seen event cannot be lost. When the disk is full,
   * nobody sees lines that could not be stored, and a success waits: the next process would not
   * know it. A failure does not wait: the next process treats it as one anyway.
   */
  async #write(event: EventName, data: EventData): Promise<void> {
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
    do await this.#clock.sleep(RETRY_MS)
    while (!(await this.#keep(event)))
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

const SYSTEM_CLOCK = {
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
}

const sizeOf = (data: EventData) => Buffer.byteLength(JSON.stringify(data))
