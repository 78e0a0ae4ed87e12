import { setImmediate } from 'node:timers/promises'

/** The maximum time of work before other work runs. */
const MAX_MS = 6

/**
 * A disk in memory answers at once, so that reading thousands of sites would block everything else
 * in this process. A read waits for the previous one, and sometimes for other work.
 */
export class Turns {
  #tail: Promise<void> = Promise.resolve()
  #began = performance.now()

  take(): Promise<void> {
    this.#tail = this.#tail.then(() => this.#pause())
    return this.#tail
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#began < MAX_MS) return
    await setImmediate()
    this.#began = performance.now()
  }
}
