/** Who holds what: an operation waits in line for its key, and for one of the places of the server. */
export class Locks {
  readonly #lines = new Map<string, (() => void)[]>()
  readonly #places: number
  #taken = 0
  readonly #outside: (() => void)[] = []

  constructor(places: number) {
    this.#places = places
  }

  /** True: `take` would return at once. */
  free(key: string | undefined): boolean {
    return key === undefined || (!this.#lines.has(key) && this.#taken < this.#places)
  }

  /** Resolves when the key and a place are held; the returned function gives both back. */
  async take(key: string | undefined): Promise<() => void> {
    if (key === undefined) return () => undefined
    await this.#takeKey(key)
    if (this.#taken >= this.#places) {
      await new Promise<void>((resolve) => this.#outside.push(resolve))
    } else this.#taken += 1
    return () => {
      this.#giveKey(key)
      const next = this.#outside.shift()
      if (next) next()
      else this.#taken -= 1
    }
  }

  #takeKey(key: string): Promise<void> {
    const line = this.#lines.get(key)
    if (line) return new Promise((resolve) => line.push(resolve))
    this.#lines.set(key, [])
    return Promise.resolve()
  }

  #giveKey(key: string): void {
    const next = this.#lines.get(key)?.shift()
    if (next) next()
    else this.#lines.delete(key)
  }
}
