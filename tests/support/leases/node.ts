import type { Fence } from '#dashboard/db/fence.ts'
import { NAMES } from '#dashboard/leases/shares.ts'
import { type Round, Tenure } from '#dashboard/leases/tenure.ts'
import { HELD_MS, MOST_ROUNDS, TICK_MS } from '#dashboard/leases/times.ts'
import type { LeaseWorld } from './world.ts'

/** How long a dashboard waits for an answer of the database. */
const ANSWER_MS = 5_000

/** A dashboard: its tenure, its clock, and the work that it does with its leases. */
export class Node {
  readonly #world: LeaseWorld
  readonly #tenure: Tenure
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
    this.#tenure = new Tenure(HELD_MS, () => world.newName())
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

  #send(round: Round, rounds: number): void {
    const number = ++this.#sent
    const next = (answered: boolean) => {
      if (number !== this.#sent) return
      this.#sent += 1
      const again = answered && rounds < MOST_ROUNDS && this.#tenure.hasPlan()
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
