import { type Fence, fencedBy, StaleLease } from '#dashboard/kernel/db/fence.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { HeldLeases, type LeaseChange, type LeaseRound } from './held-leases.ts'
import type { LeaseDeps, Leases } from './leases.ts'
import { exchangeNews, forgetNews, lastNews } from './news.queries.ts'
import { releaseAll, takeRound } from './queries.ts'
import type { LeaseRow } from './shares.ts'

/** The length of a lease, on the clock of the database. */
export const LEASE_MS = 10_000
/** The time for which its holder counts on it since it was sent: clocks differ a little. */
export const HELD_MS = 9_000
export const TICK_MS = 500
/** The number of rounds without a pause, while there are shares to acquire or to release. */
export const MAX_ROUNDS = 3
/** The time limit of a round in the database. */
const ANSWER_MS = 3_000
/** The interval at which dashboards look for news of each other. */
const NEWS_MS = 200

const FORGET_EVERY_MS = 60_000

/**
 * Passes the topics of the bus to the other dashboards, and theirs to this one. A topic may arrive
 * twice or, when a dashboard is killed, never: whoever waits for one also looks now and then.
 */
class BusRelay {
  readonly #deps: LeaseDeps
  readonly #name: string
  readonly #signal: AbortSignal
  #waiting = new Set<string>()
  #last = 0
  #isReplaying = false
  #isBroken = false
  #forgotten = 0
  #loop: Promise<void> = Promise.resolve()

  constructor(deps: LeaseDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#name = randomText(deps.random, 16)
    this.#signal = signal
  }

  async start(): Promise<void> {
    const { db, bus } = this.#deps
    this.#last = await lastNews(db)
    bus.listen((topic) => {
      if (!this.#isReplaying) this.#waiting.add(topic)
    })
    this.#loop = fencedBy(undefined, () => this.#run())
  }

  async stop(): Promise<void> {
    await this.#loop
    await this.#exchange()
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps
    while (!this.#signal.aborted) {
      await this.#exchange()
      await clock.sleep(NEWS_MS, this.#signal)
    }
  }

  async #exchange(): Promise<void> {
    const { db, clock, log } = this.#deps
    const topics = this.#waiting
    this.#waiting = new Set()
    try {
      const news = await exchangeNews(db, {
        name: this.#name,
        topics: [...topics],
        after: this.#last,
      })
      this.#isBroken = false
      this.#last = news.at(-1)?.id ?? this.#last
      this.#replay(new Set(news.map(({ topic }) => topic)))
      if (clock.elapsed() < this.#forgotten + FORGET_EVERY_MS) return
      this.#forgotten = clock.elapsed()
      await forgetNews(db)
    } catch (error) {
      if (!this.#isBroken) log.error('news could not be exchanged with other dashboards', error)
      this.#isBroken = true
      this.#waiting = new Set([...topics, ...this.#waiting])
    }
  }

  #replay(topics: ReadonlySet<string>): void {
    this.#isReplaying = true
    try {
      for (const topic of topics) this.#deps.bus.notify(topic)
    } finally {
      this.#isReplaying = false
    }
  }
}

/** The leases of one dashboard of several, renewed until it stops. */
export class SharedLeases implements Leases {
  readonly #deps: LeaseDeps
  readonly #tenure: HeldLeases
  readonly #relay: BusRelay
  readonly #listeners: ((change: LeaseChange) => void)[] = []
  readonly #stopping = new AbortController()
  readonly #loops: Promise<void>[] = []

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.#tenure = new HeldLeases(HELD_MS, () => randomText(deps.random, 16))
    this.#relay = new BusRelay(deps, this.#stopping.signal)
  }

  holds(name: string): boolean {
    return this.#fence(name) !== undefined
  }

  run<T>(names: string | readonly string[], work: () => T): T {
    const fences = [names].flat().map((name) => this.#fence(name))
    const held = fences.filter((fence) => fence !== undefined)
    if (held.length < fences.length) throw new StaleLease('Another dashboard has the lease')
    return fencedBy(held, work)
  }

  onChange(listener: (change: LeaseChange) => void): void {
    this.#listeners.push(listener)
  }

  watch(every_ms: number, look: () => Promise<unknown>): void {
    const { log } = this.#deps
    this.#repeat(every_ms, () =>
      look().catch((error: unknown) => log.error('the records could not be read', error)),
    )
  }

  async start(): Promise<void> {
    await this.#relay.start()
    await this.#tick()
    this.#repeat(TICK_MS, () => this.#tick())
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#loops, this.#relay.stop()])
    await releaseAll(this.#deps.db, this.#tenure.holder).catch(() => undefined)
  }

  #fence(name: string): Fence | undefined {
    if (this.#stopping.signal.aborted) return undefined
    return this.#tenure.fence(name, this.#now())
  }

  #now(): number {
    return this.#deps.clock.elapsed()
  }

  /** Repeats work outside of every lease: what starts it may have one. */
  #repeat(every_ms: number, work: () => Promise<unknown>): void {
    const { signal } = this.#stopping
    const loop = async () => {
      while (!signal.aborted) {
        await this.#deps.clock.sleep(every_ms, signal)
        if (!signal.aborted) await work()
      }
    }
    this.#loops.push(fencedBy(undefined, loop))
  }

  async #tick(): Promise<void> {
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const { round, lost } = this.#tenure.prepare(this.#now())
      this.#announce({ gained: [], lost })
      const rows = await this.#ask(round)
      if (rows === undefined) return
      this.#announce(this.#tenure.learn(round, rows, this.#now()))
      if (!this.#tenure.hasPlan()) return
    }
  }

  /**
   * Executes the round in the database and returns the rows of the leases; undefined when the
   * database does not answer, or not in time.
   */
  async #ask(round: LeaseRound): Promise<LeaseRow[] | undefined> {
    const { db, clock, log } = this.#deps
    const over = new AbortController()
    const late = clock.sleep(ANSWER_MS, over.signal).then(() => undefined)
    const answer = takeRound(db, round, LEASE_MS).catch((error: unknown) => {
      log.error('the leases could not be renewed', error)
      return undefined
    })
    const rows = await Promise.race([answer, late])
    over.abort()
    return rows
  }

  #announce(change: LeaseChange): void {
    const { gained, lost } = change
    if (gained.length + lost.length === 0) return
    this.#deps.log.info('leases changed', { gained: gained.join(', '), lost: lost.join(', ') })
    for (const listener of this.#listeners) listener(change)
  }
}
