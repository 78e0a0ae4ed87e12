import type { Host } from '#agent/kernel/host/ports.ts'

const AT_ONCE = 2
/** The maximum total time that a list waits for sites that run their configuration. */
const LIST_WAIT_MS = 1500

/** Work that takes CPU: two at a time, the others in their order. */
export class Turns {
  readonly #clock: Host['clock']
  readonly #waiting: (() => void)[] = []
  #running = 0
  #since = 0

  constructor({ clock }: Pick<Host, 'clock'>) {
    this.#clock = clock
  }

  /** `urgent`: a caller waits only for this result. */
  async take<T>(work: () => Promise<T>, urgent: boolean): Promise<T> {
    if (this.#running === 0) this.#since = this.#clock.elapsed()
    if (this.#running >= AT_ONCE) {
      await new Promise<void>((go) => (urgent ? this.#waiting.unshift(go) : this.#waiting.push(go)))
    } else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  /** The longest wait of a caller that starts waiting now, in milliseconds. */
  remainingWait(): number {
    const since = this.#running === 0 ? 0 : this.#clock.elapsed() - this.#since
    return Math.max(LIST_WAIT_MS - since, 0)
  }
}
