import { type Fence, fencedBy, StaleLease } from '#dashboard/kernel/db/fence.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import type { LeaseDeps, Leases } from './leases.ts'
import { releaseAll, takeRound } from './queries.ts'
import { Relay } from './relay.ts'
import type { Row } from './shares.ts'
import { type Change, type Round, Tenure } from './tenure.ts'
import { ANSWER_MS, HELD_MS, LEASE_MS, MAX_ROUNDS, TICK_MS } from './times.ts'

/** The leases of one dashboard of several, renewed until it stops. */
export class SharedLeases implements Leases {
  readonly #deps: LeaseDeps
  readonly #tenure: Tenure
  readonly #relay: Relay
  readonly #listeners: ((change: Change) => void)[] = []
  readonly #stopping = new AbortController()
  readonly #loops: Promise<void>[] = []

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.#tenure = new Tenure(HELD_MS, () => randomText(deps.random, 16))
    this.#relay = new Relay(deps, this.#stopping.signal)
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

  onChange(listener: (change: Change) => void): void {
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

  /** Outside of every lease: what starts it may have one. */
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

  /** Undefined when the database does not answer, or not in time. */
  async #ask(round: Round): Promise<Row[] | undefined> {
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

  #announce(change: Change): void {
    const { gained, lost } = change
    if (gained.length + lost.length === 0) return
    this.#deps.log.info('leases changed', { gained: gained.join(', '), lost: lost.join(', ') })
    for (const listener of this.#listeners) listener(change)
  }
}
