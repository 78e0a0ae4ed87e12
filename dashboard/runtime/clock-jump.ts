import type { Clock } from './clock.ts'

const HOUR_MS = 3600_000

/** Detects when the time of day cannot be trusted: nothing is deleted by its age then. */
export class ClockWatch {
  readonly #clock: Clock
  #offset: number
  #wait_until = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offset = this.#now()
  }

  /** False for an hour after the clock was set by more than an hour: a mistake is corrected by then. */
  isSteady(): boolean {
    const offset = this.#now()
    const elapsed = this.#clock.elapsed()
    if (Math.abs(offset - this.#offset) > HOUR_MS) this.#wait_until = elapsed + HOUR_MS
    this.#offset = offset
    return elapsed >= this.#wait_until
  }

  #now(): number {
    return this.#clock.now().getTime() - this.#clock.elapsed()
  }
}
