/**
 * The used tokens, as long as they are valid, and at most `most` of them: when full, requests are
 * refused, because a forgotten token could be used again.
 */
export class UsedTokens {
  readonly #until = new Map<string, number>()
  readonly #most: number

  constructor(most = 100_000) {
    this.#most = most
  }

  /** Returns true exactly once for each id until `until` (seconds), in which it is still valid. */
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
