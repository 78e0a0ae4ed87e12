import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { Reading } from './queries.ts'

interface Deps {
  clock: Pick<Clock, 'sleep'>
  store(readings: readonly Reading[]): Promise<void>
}

const COLLECT_MS = 50

/** Stores the readings of a short time in one write, which takes longer than a contact. */
export class ReadingQueue {
  readonly #deps: Deps
  #waiting: Reading[] = []
  #stored: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Resolves when the reading is stored. */
  add(reading: Reading): Promise<void> {
    this.#waiting.push(reading)
    this.#stored ??= this.#store()
    return this.#stored
  }

  async #store(): Promise<void> {
    const { clock, store } = this.#deps
    await clock.sleep(COLLECT_MS)
    const readings = this.#waiting
    this.#waiting = []
    this.#stored = undefined
    await store(readings)
  }
}
