import { tooMany } from '#shared/errors.ts'

/** Who asks for a work, and when it may start. */
export interface Turn {
  /** Works of one name take turns with those of the others. */
  by: string
  /** Goes before all that is not. */
  first: boolean
  /** Resolves when it may start; it waits in line meanwhile. */
  ready?: ((signal: AbortSignal) => Promise<void>) | undefined
}

interface Waiting {
  ready: boolean
  start(): void
  refuse(): void
}

/**
 * At most `size` works at a time. Those that wait are served in turns by name, so that a name that
 * asks a thousand times does not delay the others. When `most` wait, the newest of the name that has
 * most of them makes room for a name that has fewer; without such a name the newcomer is refused.
 */
export class FairLimit {
  readonly #size: number
  readonly #first: Line
  readonly #others: Line
  #busy = 0

  constructor(size: number, most: number) {
    this.#size = size
    this.#first = new Line(most)
    this.#others = new Line(most)
  }

  /** Throws 429 for a work that is refused before it starts. */
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
    const waiting: Waiting = { ready: ready === undefined, start: resolve, refuse }
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

/** Works that wait, by name; the name that was served last comes last. */
class Line {
  readonly #most: number
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  /** False when it is full, and nobody has more in it. */
  add(by: string, waiting: Waiting): boolean {
    const own = this.#waiting.get(by) ?? []
    if (this.#count >= this.#most && !this.#makeRoom(own.length)) return false
    this.#waiting.set(by, [...own, waiting])
    this.#count++
    return true
  }

  take(): Waiting | undefined {
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
