import type { Fence } from '#dashboard/kernel/db/fence.ts'
import { HeldLeases, type LeaseRound } from '#dashboard/kernel/leases/held-leases.ts'
import { HELD_MS, LEASE_MS, MAX_ROUNDS, TICK_MS } from '#dashboard/kernel/leases/shared-leases.ts'
import { NAMES } from '#dashboard/kernel/leases/shares.ts'
import { Random } from '#tests/support/random.ts'
import type { LeaseRecords } from './records.ts'

/** How long a dashboard waits for an answer of the database. */
const ANSWER_MS = 5_000

/** A dashboard: its tenure, its clock, and the work that it does with its leases. */
class Node {
  readonly #world: LeaseWorld
  readonly #tenure: HeldLeases
  readonly #drift: number
  /** What its clock has missed while its machine was suspended. */
  #missed = 0
  #misses = false
  #paused_until = 0
  #cut_until = 0
  #isDead = false
  readonly #deferred: (() => void)[] = []
  #sent = 0

  constructor(world: LeaseWorld) {
    this.#world = world
    this.#tenure = new HeldLeases(HELD_MS, () => world.newName())
    this.#drift = 1 + (world.random() - 0.5) * 0.002
  }

  /** What it would write with, at this moment. A paused one cannot look. */
  fence(name: string): Fence | undefined {
    if (this.#isDead || this.#isPaused()) return undefined
    return this.#tenure.fence(name, this.#now())
  }

  kill(): void {
    this.#isDead = true
  }

  /** One at a time. */
  pause(ms: number, clock_goes_on: boolean): void {
    if (this.#isPaused()) return
    this.#paused_until = this.#world.now + ms
    this.#misses = !clock_goes_on
    if (this.#misses) this.#missed += ms
    this.#world.after(ms, () => this.#wake())
  }

  cut(ms: number): void {
    this.#cut_until = this.#world.now + ms
  }

  heal(): void {
    this.#cut_until = 0
    if (!this.#isPaused()) return
    if (this.#misses) this.#missed -= this.#paused_until - this.#world.now
    this.#paused_until = this.#world.now
    this.#wake()
  }

  tick(rounds = 1): void {
    this.#awake(() => {
      this.#begin()
      this.#send(this.#tenure.prepare(this.#now()).round, rounds)
    })
  }

  #send(round: LeaseRound, rounds: number): void {
    const number = ++this.#sent
    const next = (answered: boolean) => {
      if (number !== this.#sent) return
      this.#sent += 1
      const again = answered && rounds < MAX_ROUNDS && this.#tenure.hasPlan()
      if (again) this.tick(rounds + 1)
      else this.#later(TICK_MS, () => this.tick())
    }
    this.#later(ANSWER_MS, () => next(false))
    this.#message(() => {
      const { records, now, db_offset } = this.#world
      const rows = records.round(round, 2_000_000_000_000 + now + db_offset)
      this.#message(() =>
        this.#awake(() => {
          this.#tenure.learn(round, rows, this.#now())
          next(true)
        }),
      )
    })
  }

  /** Some work with a lease that it has now, which writes now and then, and does not look again. */
  #begin(): void {
    const name = NAMES[Math.floor(this.#world.random() * NAMES.length)] ?? ''
    const fence = this.fence(name)
    if (!fence) return
    for (let at = 0; at < 40_000; at += 1 + this.#world.random() * 20_000)
      this.#later(at, () => this.#message(() => this.#world.work(fence)))
  }

  #message(arrive: () => void): void {
    const delay = this.#world.delay()
    if (delay === undefined || this.#world.now < this.#cut_until) return
    this.#world.after(delay, arrive)
  }

  #later(ms: number, run: () => void): void {
    this.#world.after(ms / this.#drift, () => this.#awake(run))
  }

  /** What happens to a paused process happens when it continues. */
  #awake(run: () => void): void {
    if (this.#isDead) return
    if (this.#isPaused()) this.#deferred.push(run)
    else run()
  }

  #wake(): void {
    if (this.#isPaused()) return
    for (const run of this.#deferred.splice(0)) this.#awake(run)
  }

  #isPaused(): boolean {
    return this.#world.now < this.#paused_until
  }

  #now(): number {
    return (this.#world.now - this.#missed) * this.#drift
  }
}

const FAULTY_MS = 60_000
/** Long enough for every fault to end, and for the shares to be even again. */
const QUIET_MS = 3 * LEASE_MS
/** The promise: the time of the lease and a second. */
const TAKEOVER_MS = LEASE_MS + 1_000

interface Event {
  at: number
  order: number
  run(): void
}

/** Dashboards that share the work, with everything that may happen to them: decided by a seed. */
export class LeaseWorld {
  readonly faults: string[] = []
  /** Refused writes. */
  stale = 0
  now = 0
  /** What the clock of the database adds to the time. */
  db_offset = 0
  readonly records: LeaseRecords
  readonly random: () => number
  /** Whether two dashboards may believe in the same lease for a while: their clocks cannot tell. */
  readonly hasJumps: boolean
  #nodes: Node[] = []
  #events: Event[] = []
  #order = 0
  #isQuiet = false
  #names = 0

  constructor(seed: number, records: LeaseRecords) {
    records.empty()
    this.records = records
    const random = new Random(seed)
    this.random = () => random.below(2 ** 32) / 2 ** 32
    this.hasJumps = this.random() < 0.5
  }

  run(): this {
    const count = 2 + Math.floor(this.random() * 3)
    for (let place = 0; place < count; place++) this.#start(this.random() * 3_000)
    for (let at = 0; at < FAULTY_MS; at += 500 + this.random() * 8_000)
      this.after(at, () => this.#trouble())
    this.after(FAULTY_MS, () => this.#calm())
    this.#until(FAULTY_MS + QUIET_MS)
    this.#mustBeShared('after all faults')
    const [victim] = this.#nodes
    victim?.kill()
    this.#nodes = this.#nodes.filter((node) => node !== victim)
    this.#until(this.now + TAKEOVER_MS)
    this.#mustBeTaken('after a kill')
    this.#mustBeOrdered()
    return this
  }

  after(ms: number, run: () => void): void {
    this.#events.push({ at: this.now + ms, order: this.#order++, run })
  }

  /** The delay of a message; undefined: it is lost. */
  delay(): number | undefined {
    if (!this.#isQuiet && this.random() < 0.05) return undefined
    const isSlow = !this.#isQuiet && this.random() < 0.05
    return 1 + this.random() * (isSlow ? 15_000 : 20)
  }

  work(fence: Fence): void {
    if (!this.records.work(fence)) this.stale += 1
  }

  newName(): string {
    this.#names += 1
    return `d${this.#names}`
  }

  #start(ms: number): void {
    const node = new Node(this)
    this.#nodes.push(node)
    this.after(ms, () => node.tick())
  }

  #trouble(): void {
    const node = this.#nodes[Math.floor(this.random() * this.#nodes.length)]
    const kind = Math.floor(this.random() * (this.hasJumps ? 5 : 3))
    const ms = this.random() * 3 * LEASE_MS
    if (kind === 0) node?.pause(ms, true)
    if (kind === 1) node?.cut(ms)
    if (kind === 2 && node) {
      node.kill()
      this.#nodes = this.#nodes.filter((other) => other !== node)
      this.#start(this.random() * 5_000)
    }
    // The clock of a suspended machine stops.
    if (kind === 3) node?.pause(ms, false)
    if (kind === 4) this.db_offset += (this.random() - 0.5) * 7_200_000
  }

  #calm(): void {
    this.#isQuiet = true
    for (const node of this.#nodes) node.heal()
  }

  #until(end: number): void {
    for (;;) {
      const next = this.#take(end)
      if (!next) break
      this.now = next.at
      next.run()
      if (!this.hasJumps) this.#mustBeAlone()
    }
    this.now = end
  }

  #take(end: number): Event | undefined {
    let found = -1
    for (const [place, event] of this.#events.entries()) {
      const best = this.#events[found]
      const isFirst =
        !best || event.at < best.at || (event.at === best.at && event.order < best.order)
      if (event.at <= end && isFirst) found = place
    }
    return found < 0 ? undefined : this.#events.splice(found, 1)[0]
  }

  /** With clocks that only move forward, no two dashboards have the same share. */
  #mustBeAlone(): void {
    for (const name of NAMES) {
      const holders = this.#nodes.filter((node) => node.fence(name) !== undefined)
      if (holders.length > 1)
        this.faults.push(`${name} has ${holders.length} holders at ${this.now}`)
    }
  }

  #mustBeTaken(when: string): void {
    for (const name of NAMES) {
      const holders = this.#nodes.filter((node) => node.fence(name) !== undefined)
      if (holders.length !== 1) this.faults.push(`${name} has ${holders.length} holders ${when}`)
    }
  }

  #mustBeShared(when: string): void {
    this.#mustBeTaken(when)
    const counts = this.#nodes.map((node) => NAMES.filter((name) => node.fence(name)).length)
    if (Math.max(...counts) - Math.min(...counts) > 1)
      this.faults.push(`shares of ${counts.join(', ')} ${when}`)
  }

  /** A token has one holder, and no write follows one of a later token. */
  #mustBeOrdered(): void {
    const last = new Map<string, Fence>()
    for (const write of this.records.accepted()) {
      const before = last.get(write.name)
      last.set(write.name, write)
      if (!before || before.token < write.token) continue
      if (before.token > write.token || before.holder !== write.holder)
        this.faults.push(`${write.name}: ${JSON.stringify(write)} after ${JSON.stringify(before)}`)
    }
  }
}
