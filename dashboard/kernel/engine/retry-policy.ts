import type { Base } from '#dashboard/kernel/db/base.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'

/** All in ms. */
type Limits = Pick<Base, 'deadline_ms' | 'retry_min_ms' | 'retry_max_ms'>

/**
 * The remaining time of an operation without its agent, and the pauses between attempts. Only the
 * start uses the time of day, which may change; after that, time is monotonic.
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

  /** The pause before the next attempt, in ms. */
  pause(): number {
    const { retry_min_ms, retry_max_ms } = this.#limits
    return Math.min(retry_min_ms * 2 ** Math.min(this.#failures, 20), retry_max_ms)
  }

  /** Another attempt has failed. */
  failed(): void {
    this.#failures += 1
  }

  /** A moved deadline restarts both: the agent answered, or may have taken the call. */
  contacted(deadline_at: string): void {
    if (deadline_at === this.#deadline_at) return
    this.#deadline_at = deadline_at
    this.#end = this.#clock.elapsed() + this.#limits.deadline_ms
    this.#failures = 0
  }

  /** Whether there is time for another attempt after `pause`. */
  allows(pause: number): boolean {
    return this.#clock.elapsed() + pause <= this.#end
  }
}
