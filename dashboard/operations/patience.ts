import type { Clock } from '#dashboard/runtime/clock.ts'

/**
 * How long an operation still waits for its agent. Only the first look goes by the time of day, which
 * may be set at any moment; from then on, time is measured as it passes.
 */
export class Patience {
  readonly #clock: Clock
  readonly #most_ms: number
  #deadline_at: string
  #end: number

  /** `most_ms`: what is given each time that the agent is heard of. */
  constructor(clock: Clock, most_ms: number, deadline_at: string) {
    this.#clock = clock
    this.#most_ms = most_ms
    this.#deadline_at = deadline_at
    const left = Date.parse(deadline_at) - clock.now().getTime()
    this.#end = clock.elapsed() + Math.min(Math.max(left, 0), most_ms)
  }

  /** Whether there is time for another try after `pause`; a deadline that was moved begins anew. */
  allows(pause: number, deadline_at: string): boolean {
    if (deadline_at !== this.#deadline_at) this.#end = this.#clock.elapsed() + this.#most_ms
    this.#deadline_at = deadline_at
    return this.#clock.elapsed() + pause <= this.#end
  }
}
