import type { Clock } from '#dashboard/runtime/clock.ts'

/** All in ms. */
interface Limits {
  /** What is given each time that the agent answers. */
  deadline_ms: number
  /** The first pause before another try; it doubles up to `retry_max_ms`. */
  retry_min_ms: number
  retry_max_ms: number
}

/**
 * How long an operation still waits for its agent, and from one try to the next. Only the first look goes by the time of day, which
 * may be set at any moment; from then on, time is measured as it passes.
 */
export class RetryPolicy {
  readonly #clock: Clock
  readonly #limits: Limits
  #deadline_at: string
  #end: number
  #failures = 0

  constructor(clock: Clock, limits: Limits, deadline_at: string) {
    this.#clock = clock
    this.#limits = limits
    this.#deadline_at = deadline_at
    const left = Date.parse(deadline_at) - clock.now().getTime()
    this.#end = clock.elapsed() + Math.min(Math.max(left, 0), limits.deadline_ms)
  }

  /** Until the next try, in ms. */
  pause(): number {
    const { retry_min_ms, retry_max_ms } = this.#limits
    return Math.min(retry_min_ms * 2 ** Math.min(this.#failures, 20), retry_max_ms)
  }

  /** Another try brought no end. */
  failed(): void {
    this.#failures += 1
  }

  /** Both restart with a deadline that was moved: the agent answered. */
  contacted(deadline_at: string): void {
    if (deadline_at === this.#deadline_at) return
    this.#deadline_at = deadline_at
    this.#end = this.#clock.elapsed() + this.#limits.deadline_ms
    this.#failures = 0
  }

  /** Whether there is time for another try after `pause`. */
  allows(pause: number): boolean {
    return this.#clock.elapsed() + pause <= this.#end
  }
}
