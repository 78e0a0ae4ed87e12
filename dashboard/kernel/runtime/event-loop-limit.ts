/** Limits the tasks that start in one turn of the event loop; the others wait in order. */
export class TurnLimit {
  readonly #most: number
  readonly #line: (() => void)[] = []
  #started = 0
  #scheduled = false

  constructor(most: number) {
    this.#most = most
  }

  /** Returns a promise of the task's turn; undefined when the task may start immediately. */
  turn(): Promise<void> | undefined {
    this.#schedule()
    if (this.#started < this.#most && this.#line.length === 0) {
      this.#started += 1
      return undefined
    }
    return new Promise((resolve) => this.#line.push(resolve))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#scheduled = false
    const next = this.#line.splice(0, this.#most)
    this.#started = next.length
    for (const begin of next) begin()
    if (next.length > 0) this.#schedule()
  }
}
