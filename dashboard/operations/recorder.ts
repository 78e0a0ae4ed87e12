import type { Database } from '#dashboard/db/client.ts'
import type { StoredEvent } from '#shared/sse.ts'
import type { Bus } from './bus.ts'
import { storeEvents } from './progress/queries.ts'

const MOST_ROWS = 200
const MOST_WAIT_MS = 100
const LONGEST_LINE = 16_384

/** Stores log lines in small batches and numbers them without gaps. */
export class Recorder {
  readonly #deps: { db: Database; bus: Bus }
  readonly #operation_id: string
  #last: number
  #pending: StoredEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #stored: Promise<void> = Promise.resolve()
  #broken = false

  /** `last`: the number of the last event that is stored. */
  constructor(deps: { db: Database; bus: Bus }, operation_id: string, last: number) {
    this.#deps = deps
    this.#operation_id = operation_id
    this.#last = last
  }

  get last(): number {
    return this.#last
  }

  /** Throws once an earlier event could not be stored: none may come after a gap. */
  async log(message: string): Promise<void> {
    if (this.#broken) await this.#stored
    const data = { message: message.slice(0, LONGEST_LINE) }
    this.#pending.push({ id: ++this.#last, event: 'log', data })
    if (this.#pending.length >= MOST_ROWS) await this.flush()
    else this.#timer ??= setTimeout(() => this.#store(), MOST_WAIT_MS)
  }

  /** Throws when an event could not be stored. */
  async flush(): Promise<void> {
    this.#store()
    await this.#stored
  }

  /** The events that no write was begun for: they go with the outcome, in its batch. */
  async rest(): Promise<StoredEvent[]> {
    clearTimeout(this.#timer)
    await this.#stored
    return this.#pending.splice(0)
  }

  #store(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#pending.splice(0)
    if (events.length === 0) return
    const { db, bus } = this.#deps
    this.#stored = this.#stored.then(async () => {
      await storeEvents(db, this.#operation_id, events)
      bus.notify(this.#operation_id)
    })
    this.#stored.catch(() => {
      this.#broken = true
    })
  }
}
