/** Wakes whoever waits for a topic, such as new events of an operation. Stores nothing itself. */
export class Bus {
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #listening = new Set<(topic: string) => void>()

  notify(topic: string): void {
    const waiting = this.#waiting.get(topic)
    this.#waiting.delete(topic)
    for (const wake of waiting ?? []) wake()
    for (const listener of this.#listening) listener(topic)
  }

  /** Receives every topic, until the returned function is called. */
  listen(listener: (topic: string) => void): () => void {
    this.#listening.add(listener)
    return () => this.#listening.delete(listener)
  }

  /** Registers until the end of its block; call it before reading the records. */
  next(topic: string): { promise: Promise<void> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(topic) ?? new Set()
    this.#waiting.set(topic, waiting.add(resolve))
    return { promise, [Symbol.dispose]: () => this.#forget(topic, resolve) }
  }

  #forget(topic: string, wake: () => void): void {
    const waiting = this.#waiting.get(topic)
    waiting?.delete(wake)
    if (waiting?.size === 0) this.#waiting.delete(topic)
  }
}
