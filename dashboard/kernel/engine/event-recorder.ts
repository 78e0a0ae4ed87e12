import { OutputBudget, type StoredOutput } from '#dashboard/kernel/agents/output-limits.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { isNumbered, type StoredEvent } from '#shared/kernel/sse.ts'
import { StepChange } from '#shared/kernel/steps.ts'
import { readStored } from './events.queries.ts'
import { storeEvents } from './progress.queries.ts'
import { countSteps, listSteps } from './steps.queries.ts'

const MAX_BATCH_EVENTS = 200
const MAX_BATCH_CHARACTERS = 256 << 10
/** The pause between two writes while lines come, which viewers see in groups. */
const PAUSE_MS = 100
/**
 * The delay before a line after a pause is written: a short operation ends within this time, so
 * that its outcome is part of the same write.
 */
const FIRST_MS = 5

type Deps = Pick<CommonDeps, 'db' | 'bus' | 'clock'>

/** Stores log lines and changes of steps in small batches and numbers them without gaps, up to the budget of an operation. */
export class EventRecorder {
  readonly #deps: Deps
  readonly #operation_id: string
  readonly #budget: OutputBudget
  readonly #steps: StepBudget
  readonly #own: number
  #last: number
  #pending: StoredEvent[] = []
  #characters = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When the last write began, by `clock.elapsed()`. */
  #wrote = Number.NEGATIVE_INFINITY
  #stored: Promise<void> = Promise.resolve()
  #broken = false

  constructor(deps: Deps, operation_id: string, stored: StoredOutput, steps: StepBudget) {
    this.#deps = deps
    this.#operation_id = operation_id
    this.#budget = new OutputBudget(stored)
    this.#steps = steps
    this.#own = stored.own
    this.#last = stored.last
  }

  /** Opens a recorder that continues after the stored events. */
  static async open(deps: Deps, operation_id: string): Promise<EventRecorder> {
    const { db } = deps
    const stored = await readStored(db, operation_id)
    const since = await listSteps(db, operation_id, { row: 0, after: stored.last })
    const sinceEvent = since.map(({ data }) => data)
    const steps = new StepBudget({ count: await countSteps(db, operation_id), sinceEvent })
    return new EventRecorder(deps, operation_id, stored, steps)
  }

  /** The number by which the agent knows its last recorded event. */
  get lastOfAgent(): number {
    return this.#last - this.#own
  }

  /** Records a line. Throws after an earlier event could not be stored: none may follow a gap. */
  async log(message: string): Promise<void> {
    if (this.#broken) await this.#stored
    const data = this.#budget.take(message)
    if (!data) return
    this.#steps.eventStored()
    await this.#add({ id: ++this.#last, event: 'log', data }, data.message.length)
  }

  /** Notes a new connection: the agent repeats the steps since the last event. */
  reconnected(): void {
    this.#steps.reconnected()
  }

  /** Records a change of a step after the event `last`; false for another kind of event. */
  async step(event: StoredEvent, last: number): Promise<boolean> {
    if (isNumbered(event)) return false
    const data = event.id < last ? undefined : this.#steps.take(event.data)
    if (data) await this.#add({ id: this.#last, event: 'step', data }, data.title.length)
    return true
  }

  async #add(event: StoredEvent, characters: number): Promise<void> {
    this.#pending.push(event)
    this.#characters += characters
    if (this.#pending.length >= MAX_BATCH_EVENTS || this.#characters >= MAX_BATCH_CHARACTERS)
      await this.flush()
    else this.#timer ??= setTimeout(() => this.#store(), this.#delay())
  }

  #delay(): number {
    return Math.max(FIRST_MS, this.#wrote + PAUSE_MS - this.#deps.clock.elapsed())
  }

  /** Stores all events. Throws when one could not be stored. */
  async flush(): Promise<void> {
    this.#store()
    await this.#stored
  }

  /** Returns the events without a started write: the batch of the outcome stores them. */
  async takeUnstored(): Promise<StoredEvent[]> {
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
    const { db, bus, clock } = this.#deps
    this.#wrote = clock.elapsed()
    this.#stored = this.#stored.then(async () => {
      await storeEvents(db, this.#operation_id, events)
      bus.notify(this.#operation_id)
    })
    this.#stored.catch(() => {
      this.#broken = true
    })
  }
}

const MAX_STEP_CHANGES = 1000

/** Decides which changes of steps are stored: an agent repeats those since the last event. */
export class StepBudget {
  #count: number
  #sinceEvent: string[]
  #repeated = 0

  constructor(stored: { count: number; sinceEvent: readonly object[] }) {
    this.#count = stored.count
    this.#sinceEvent = stored.sinceEvent.map(keyOf)
  }

  reconnected(): void {
    this.#repeated = 0
  }

  eventStored(): void {
    this.#sinceEvent = []
    this.#repeated = 0
  }

  /** Returns the change to store; undefined for a stored, an invalid or one too many. */
  take(data: unknown): StepChange | undefined {
    const change = StepChange.safeParse(data).data
    if (!change) return undefined
    const key = keyOf(change)
    const isKnown = this.#sinceEvent[this.#repeated] === key
    this.#repeated = isKnown ? this.#repeated + 1 : this.#sinceEvent.length + 1
    if (isKnown || this.#count === MAX_STEP_CHANGES) return undefined
    this.#count += 1
    this.#sinceEvent.push(key)
    return change
  }
}

const keyOf = ({ name, state }: { name?: unknown; state?: unknown }) =>
  JSON.stringify([name, state])
