import { OutputBudget, type Stored } from '#dashboard/agents/output-limits.ts'
import type { Database } from '#dashboard/db/client.ts'
import type { Bus } from '#dashboard/runtime/bus.ts'
import type { NumberedEvent } from '#shared/sse.ts'
import { readStored, storeEvents } from './progress.queries.ts'

const MOST_ROWS = 200
const MOST_CHARACTERS = 256 << 10
const MOST_WAIT_MS = 100

/** Stores log lines in small batches and numbers them without gaps, up to the budget of an operation. */
export class Recorder {
  readonly #deps: { db: Database; bus: Bus }
  readonly #operation_id: string
  readonly #budget: OutputBudget
  readonly #own: number
  #last: number
  #pending: NumberedEvent[] = []
  #characters = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #stored: Promise<void> = Promise.resolve()
  #broken = false

  constructor(deps: { db: Database; bus: Bus }, operation_id: string, stored: Stored) {
    this.#deps = deps
    this.#operation_id = operation_id
    this.#budget = new OutputBudget(stored)
    this.#own = stored.own
    this.#last = stored.last
  }

  /** Goes on after what is stored. */
  static async open(deps: { db: Database; bus: Bus }, operation_id: string): Promise<Recorder> {
    return new Recorder(deps, operation_id, await readStored(deps.db, operation_id))
  }

  /** The number of the last event that is recorded. */
  get last(): number {
    return this.#last
  }

  /** The number that the agent gave the last event of its own that is recorded. */
  get lastOfAgent(): number {
    return this.#last - this.#own
  }

  /** Throws once an earlier event could not be stored: none may come after a gap. */
  async log(message: string): Promise<void> {
    if (this.#broken) await this.#stored
    const data = this.#budget.take(message)
    if (!data) return
    this.#pending.push({ id: ++this.#last, event: 'log', data })
    this.#characters += data.message.length
    if (this.#pending.length >= MOST_ROWS || this.#characters >= MOST_CHARACTERS) await this.flush()
    else this.#timer ??= setTimeout(() => this.#store(), MOST_WAIT_MS)
  }

  /** Throws when an event could not be stored. */
  async flush(): Promise<void> {
    this.#store()
    await this.#stored
  }

  /** The events that no write was begun for: they go with the outcome, in its batch. */
  async rest(): Promise<NumberedEvent[]> {
    clearTimeout(this.#timer)
    await this.#stored
    return this.#pending.splice(0)
  }

  #store(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#pending.splice(0)
    this.#characters = 0
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
