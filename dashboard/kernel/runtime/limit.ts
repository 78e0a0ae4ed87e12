/** Runs at most `size` tasks at a time, in order of arrival. */
export class Limit {
  readonly #size: number
  readonly #queue: (() => void)[] = []
  #busy = 0

  constructor(size: number) {
    this.#size = size
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#busy--
    }
  }

  async #enter(): Promise<void> {
    if (this.#busy < this.#size) {
      this.#busy++
      return
    }
    await new Promise<void>((resolve) => this.#queue.push(resolve))
  }
}

/** Runs tasks of one key one after another; different keys do not wait for each other. */
export class KeyedQueue<K> {
  readonly #tails = new Map<K, Promise<unknown>>()

  run<T>(key: K, work: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(work)
    const tail = result.catch(() => undefined)
    this.#tails.set(key, tail)
    tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    return result
  }
}
