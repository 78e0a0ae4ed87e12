import { MAX_LIVE_LINES } from '#shared/logs/site-logs.ts'

/** Lets a limited number of lines through in a second, and as many together after a pause. */
export class Sampler {
  readonly #now: () => number
  #tokens = MAX_LIVE_LINES
  #at: number

  constructor(now: () => number) {
    this.#now = now
    this.#at = now()
  }

  /** Of all lines evenly, so that a burst is seen to its end. */
  take<T>(lines: readonly T[]): { taken: T[]; left_out: number } {
    const now = this.#now()
    const more = ((now - this.#at) / 1000) * MAX_LIVE_LINES
    this.#at = now
    this.#tokens = Math.min(MAX_LIVE_LINES, this.#tokens + Math.max(0, more))
    const most = Math.floor(this.#tokens)
    if (lines.length <= most) {
      this.#tokens -= lines.length
      return { taken: [...lines], left_out: 0 }
    }
    this.#tokens -= most
    const step = lines.length / most
    const taken = Array.from({ length: most }, (_, at) => lines[Math.floor(at * step)]).flatMap(
      (line) => (line === undefined ? [] : [line]),
    )
    return { taken, left_out: lines.length - taken.length }
  }
}
