const MOST = 5000

/** The ids of accepted messages, including delivered ones: the site may not know yet. */
export class KnownIds {
  readonly #ids: Set<string>

  constructor(ids: Iterable<string>) {
    this.#ids = new Set(ids)
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > MOST && oldest !== undefined) this.#ids.delete(oldest)
  }
}
