/** Wakes the streams of an operation when new events are stored. Holds nothing itself. */
export class Bus {
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #listening = new Set<(key: string) => void>()

  notify(operation_id: string): void {
    const waiting = this.#waiting.get(operation_id)
    this.#waiting.delete(operation_id)
    for (const wake of waiting ?? []) wake()
    for (const hear of this.#listening) hear(operation_id)
  }

  /** Receives everything that is published, until it unsubscribes. */
  listen(hear: (key: string) => void): () => void {
    this.#listening.add(hear)
    return () => this.#listening.delete(hear)
  }

  /** Registers immediately; call it before reading the records, so that nothing is missed in between. */
  next(operation_id: string): { promise: Promise<void>; cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(operation_id) ?? new Set()
    this.#waiting.set(operation_id, waiting.add(resolve))
    return { promise, cancel: () => this.#forget(operation_id, resolve) }
  }

  #forget(operation_id: string, wake: () => void): void {
    const waiting = this.#waiting.get(operation_id)
    waiting?.delete(wake)
    if (waiting?.size === 0) this.#waiting.delete(operation_id)
  }
}
