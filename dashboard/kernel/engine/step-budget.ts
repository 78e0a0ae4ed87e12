import { StepChange } from '#shared/kernel/steps.ts'

/** The maximum of stored changes of one operation. */
const MOST = 1000

/** Decides which changes of steps are stored: an agent repeats those since the last event. */
export class StepBudget {
  #count: number
  #sinceEvent: string[]
  #repeated = 0

  constructor(stored: { count: number; sinceEvent: readonly object[] }) {
    this.#count = stored.count
    this.#sinceEvent = stored.sinceEvent.map(keyOf)
  }

  /** A new connection starts. */
  attached(): void {
    this.#repeated = 0
  }

  /** An event was stored. */
  passed(): void {
    this.#sinceEvent = []
    this.#repeated = 0
  }

  /** The change to store; undefined for one that is already stored, beyond the limit, or invalid. */
  take(data: unknown): StepChange | undefined {
    const change = StepChange.safeParse(data).data
    if (!change) return undefined
    const key = keyOf(change)
    const isKnown = this.#sinceEvent[this.#repeated] === key
    this.#repeated = isKnown ? this.#repeated + 1 : this.#sinceEvent.length + 1
    if (isKnown || this.#count === MOST) return undefined
    this.#count += 1
    this.#sinceEvent.push(key)
    return change
  }
}

const keyOf = ({ name, state }: { name?: unknown; state?: unknown }) =>
  JSON.stringify([name, state])
