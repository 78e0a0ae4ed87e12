import { bodyOf, CANCELLED, conflict } from '#shared/errors.ts'
import { isTerminal, type StoredEvent } from '#shared/sse.ts'
import type { OperationStore } from './store.ts'

type Kind = StoredEvent['event']
type Data = StoredEvent['data']

/** The events of one operation, numbered from 1 without gaps; anybody may follow them, from any of them. */
export class Operation {
  readonly id: string
  /** Absent for one that was cancelled before it came. */
  readonly fingerprint: string | undefined
  readonly #events: StoredEvent[]
  #store: OperationStore | undefined
  #waiting: (() => void)[] = []

  /** Without a store the operation is forgotten with the process: for what only reads. */
  constructor(
    id: string,
    fingerprint: string | undefined,
    store?: OperationStore,
    events: StoredEvent[] = [],
  ) {
    this.id = id
    this.fingerprint = fingerprint
    this.#store = store
    this.#events = events
  }

  get ended(): boolean {
    const last = this.#events.at(-1)
    return last !== undefined && isTerminal(last)
  }

  log(message: string): Promise<void> {
    return this.#add('log', { message })
  }

  complete(result: Data): Promise<void> {
    return this.#add('complete', { status: 'ok', ...result })
  }

  fail(error: unknown): Promise<void> {
    return this.#add('error', { ...bodyOf(error) })
  }

  /** One that ended before it began. */
  static cancelled(id: string, fingerprint?: string): Operation {
    const data = { ...bodyOf(conflict(CANCELLED)) }
    return new Operation(id, fingerprint, undefined, [{ id: 1, event: 'error', data }])
  }

  /** The events after the given one; ends with the terminal event or when the signal aborts. */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<StoredEvent> {
    let next = after
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

  /**
   * On the disk first, then to those who follow: what was seen cannot be lost. A disk that takes no
   * more must not keep the end from them, so from then on the events are in memory only.
   */
  async #add(event: Kind, data: Data): Promise<void> {
    if (this.ended) return
    const stored = { id: this.#events.length + 1, event, data }
    try {
      await this.#store?.addEvent(this.id, stored)
    } catch {
      this.#store = undefined
    }
    this.#events.push(stored)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}
