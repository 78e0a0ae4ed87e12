import type { Fence } from '#dashboard/kernel/db/fence.ts'
import { isShare, type LeasePlan, type LeaseRow, leasePlanOf } from './shares.ts'

/** One exchange with the database. */
export interface LeaseRound extends LeasePlan {
  holder: string
  /** The number, which grows with each round. */
  number: number
  sent: number
}

/** The shares that a dashboard has now and had not before, and the other way round. */
export interface LeaseChange {
  gained: string[]
  lost: string[]
}

/**
 * The leases of one dashboard, as far as it can know. It counts each of them from the moment when
 * its renewal was sent, and has none of them afterwards. All times are monotonic ms of this
 * machine.
 */
export class HeldLeases {
  readonly #ttl_ms: number
  readonly #newHolder: () => string
  #holder: string
  #tokens: ReadonlyMap<string, number> = new Map()
  #rows: readonly LeaseRow[] = []
  #until = Number.NEGATIVE_INFINITY
  #rounds = 0

  constructor(ttl_ms: number, newHolder: () => string) {
    this.#ttl_ms = ttl_ms
    this.#newHolder = newHolder
    this.#holder = newHolder()
  }

  get holder(): string {
    return this.#holder
  }

  /** The time when all leases end without another renewal. */
  get until(): number {
    return this.#until
  }

  /** Returns the fence of a share; undefined when it is not held at `now`. */
  fence(name: string, now: number): Fence | undefined {
    const token = this.#tokens.get(name)
    if (token === undefined || now >= this.#until) return undefined
    return { name, holder: this.#holder, token }
  }

  /** Returns the shares to acquire and to release, which are not held from now on. */
  prepare(now: number): { round: LeaseRound; lost: string[] } {
    const lapsed = this.lapse(now)
    const plan = leasePlanOf(this.#rows, this.#holder)
    const released = plan.release.filter((name) => this.#tokens.has(name))
    this.#tokens = new Map([...this.#tokens].filter(([name]) => !released.includes(name)))
    return {
      round: { ...plan, holder: this.#holder, number: ++this.#rounds, sent: now },
      lost: [...new Set([...lapsed, ...released])],
    }
  }

  /** Applies the rows after a round, but of no late answer, or one to a former holder. */
  learn({ holder, sent }: LeaseRound, rows: readonly LeaseRow[], now: number): LeaseChange {
    const lost = this.lapse(now)
    const until = sent + this.#ttl_ms
    if (holder !== this.#holder || now >= until || until < this.#until) return { gained: [], lost }
    this.#until = until
    this.#rows = rows
    const before = this.#tokens
    const own = rows.filter((row) => row.holder === holder && row.left_ms > 0 && isShare(row))
    const tokens = new Map(own.map(({ name, token }) => [name, token]))
    this.#tokens = tokens
    // A lease with another token has ended and begun again.
    return {
      gained: [...tokens.keys()].filter((name) => before.get(name) !== tokens.get(name)),
      lost: [
        ...lost,
        ...[...before.keys()].filter((name) => before.get(name) !== tokens.get(name)),
      ],
    }
  }

  /** Whether the last answer calls for another round at once. */
  hasPlan(): boolean {
    const { acquire, release } = leasePlanOf(this.#rows, this.#holder)
    return acquire.length + release.length > 0
  }

  /**
   * Gives up everything when it may have expired, and takes another name: a write that was started
   * before must not count as one of the new time.
   */
  lapse(now: number): string[] {
    if (now < this.#until || this.#until === Number.NEGATIVE_INFINITY) return []
    const lost = [...this.#tokens.keys()]
    this.#holder = this.#newHolder()
    this.#tokens = new Map()
    this.#rows = []
    this.#until = Number.NEGATIVE_INFINITY
    return lost
  }
}
