import { tooMany } from '#shared/kernel/errors.ts'

/** The owner of a task, and when it may start. */
export interface Turn {
  /** The name of the owner: tasks of one name alternate with those of others. */
  by: string
  /** Whether the name is known, which gives it priority. */
  first: boolean
  /** Resolves when the task may start; it waits in the queue meanwhile. */
  ready?: ((signal: AbortSignal) => Promise<void>) | undefined
}

interface WaitingTask {
  ready: boolean
  start(): void
  refuse(): void
}

/**
 * Runs at most `size` tasks at a time. Waiting ones alternate by name, so that a name with a
 * thousand tasks does not delay the others. When `most` wait, a name with fewer tasks replaces the
 * newest task of the name with the most; without such a name the newcomer is refused.
 */
export class FairLimit {
  readonly #size: number
  readonly #first: FairQueue
  readonly #others: FairQueue
  #busy = 0

  constructor(size: number, most: number) {
    this.#size = size
    this.#first = new FairQueue(most)
    this.#others = new FairQueue(most)
  }

  /** Runs a task. Throws 429 for one that is refused before it starts. */
  async run<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    await this.#enter(turn)
    try {
      return await work()
    } finally {
      this.#busy--
      this.#serve()
    }
  }

  #enter({ by, first, ready }: Turn): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const gone = new AbortController()
    const refuse = () => {
      gone.abort()
      reject(tooMany('Too busy, try again', 5))
    }
    const waiting: WaitingTask = { ready: ready === undefined, start: resolve, refuse }
    if (!(first ? this.#first : this.#others).add(by, waiting)) refuse()
    else if (ready)
      void ready(gone.signal).finally(() => {
        waiting.ready = true
        this.#serve()
      })
    this.#serve()
    return promise
  }

  #serve(): void {
    while (this.#busy < this.#size) {
      const next = this.#first.take() ?? this.#others.take()
      if (!next) return
      this.#busy++
      next.start()
    }
  }
}

/** The waiting tasks by name; the last served name is last. */
class FairQueue {
  readonly #most: number
  readonly #waiting = new Map<string, WaitingTask[]>()
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Adds a task. Returns false when the queue is full, and no name has more tasks. */
  add(by: string, waiting: WaitingTask): boolean {
    const own = this.#waiting.get(by) ?? []
    if (this.#count >= this.#most && !this.#makeRoom(own.length)) return false
    this.#waiting.set(by, [...own, waiting])
    this.#count++
    return true
  }

  take(): WaitingTask | undefined {
    for (const [by, all] of this.#waiting) {
      const next = all.find(({ ready }) => ready)
      if (!next) continue
      this.#waiting.delete(by)
      if (all.length > 1)
        this.#waiting.set(
          by,
          all.filter((one) => one !== next),
        )
      this.#count--
      return next
    }
    return undefined
  }

  #makeRoom(own: number): boolean {
    const [largest] = [...this.#waiting.values()].sort((one, other) => other.length - one.length)
    if (!largest || largest.length <= own + 1) return false
    largest.pop()?.refuse()
    this.#count--
    return true
  }
}
