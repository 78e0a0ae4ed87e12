/**
 * The tokens used so far, for as long as one could be used again. At most `most` at once: when
 * full, requests are refused rather than tokens forgotten.
 */
export class SeenTokens {
  readonly #until = new Map<string, number>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  /** True exactly once for each id until `until` (seconds) has passed: in that second it is still good. */
  first(id: string, until: number, now: number): boolean {
    for (const [old, end] of this.#until) {
      if (end >= now) break
      this.#until.delete(old)
    }
    if (this.#until.has(id) || this.#until.size >= this.#most) return false
    this.#until.set(id, until)
    return true
  }
}
