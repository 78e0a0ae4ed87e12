import { WHOLE_SERVER } from '#agent/kernel/steps/command.ts'

interface Waiter {
  key: string
  grant(): void
}

/** The locks: an operation waits for its key and for one of the slots of the server. */
export class Locks {
  readonly #places: number
  readonly #held = new Set<string>()
  #queue: Waiter[] = []

  constructor(places: number) {
    this.#places = places
  }

  /** Returns whether `take` would return immediately. */
  free(key: string | undefined): boolean {
    return key === undefined || this.#fits(key, this.#queue)
  }

  /** Returns whether an operation holds the key or the whole server. */
  holds(key: string): boolean {
    return this.#held.has(key) || this.#held.has(WHOLE_SERVER)
  }

  /**
   * Resolves when the key and a slot are held; the returned function releases both. Rejects with
   * the reason of the signal, and leaves the queue, when that aborts first.
   */
  take(key: string | undefined, signal?: AbortSignal): Promise<() => void> {
    if (key === undefined) return Promise.resolve(() => undefined)
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const leave = () => {
        this.#queue = this.#queue.filter((other) => other !== waiter)
        this.#advance()
        reject(signal?.reason)
      }
      const waiter: Waiter = {
        key,
        grant: () => {
          signal?.removeEventListener('abort', leave)
          resolve(() => this.#give(key))
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#queue.push(waiter)
      this.#advance()
    })
  }

  #give(key: string): void {
    this.#held.delete(key)
    this.#advance()
  }

  #advance(): void {
    const waiting: Waiter[] = []
    for (const waiter of this.#queue) {
      if (this.#fits(waiter.key, waiting)) {
        this.#held.add(waiter.key)
        waiter.grant()
      } else waiting.push(waiter)
    }
    this.#queue = waiting
  }

  #fits(key: string, before: readonly Waiter[]): boolean {
    if (key === WHOLE_SERVER) return this.#held.size === 0 && before.length === 0
    if (this.#held.size >= this.#places || this.#held.has(WHOLE_SERVER)) return false
    return (
      !this.#held.has(key) &&
      !before.some((waiter) => waiter.key === key || waiter.key === WHOLE_SERVER)
    )
  }
}
