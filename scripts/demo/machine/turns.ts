import { setImmediate } from 'node:timers/promises'

/** How long work may go on before others have their turn. */
const MOST_MS = 6

/**
 * A disk in memory answers at once, so that reading thousands of sites would hold up everything else
 * in this process. A read waits for the one before it, and now and then for the others' turn.
 */
export class Turns {
  #tail: Promise<void> = Promise.resolve()
  #began = performance.now()

  take(): Promise<void> {
    this.#tail = this.#tail.then(() => this.#pause())
    return this.#tail
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#began < MOST_MS) return
    await setImmediate()
    this.#began = performance.now()
  }
}
