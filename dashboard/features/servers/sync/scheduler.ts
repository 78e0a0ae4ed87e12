import { type Clock, nextMultiple } from '#dashboard/kernel/runtime/clock.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'

/**
 * The outcome of a contact. `offline`: the server has not answered, and is tried again soon;
 * `pending` and `silent`: at its next turn. A `pending` one has never answered.
 */
export type Contact = 'answered' | 'silent' | 'pending' | 'offline'

interface Deps {
  clock: Clock
  /** Syncs a server. Must not throw. */
  sync(server_id: number): Promise<Contact>
  /** Returns for how many ms other contacts make a sync needless; 0 when it is needed. */
  rest_ms(server_id: number): number
  /** Notes that the server or its records have changed since its last sync. */
  changed(server_id: number): void
}

const MAX_CONCURRENT = 64
/** The maximum of contacts to silent servers, each of which takes the whole time limit. */
const MAX_CONCURRENT_SILENT = 128
const OFFLINE_MS = 15_000
/**
 * The minimum of turns in an interval, with about SERVERS_OF_TURN servers each: to wake up takes an
 * idle process longer than a contact.
 */
const MIN_TURNS = 4
const SERVERS_OF_TURN = 25
/** The interval of the turns of offline servers. */
const TURN_MS = 5_000
const MAX_SLEEP_MS = 60_000
const START_SPREAD_MS = 60_000
/** The quiet time after changes before a sync, and its maximum. */
const QUIET_MS = 1_000
const MAX_QUIET_MS = 30_000

/**
 * Syncs each server once in an interval, spread over it; one whose sync still runs is skipped. One
 * with other contacts has its turn when they stop, and not an interval later. Servers that do not
 * answer wait for each other only.
 */
export class Scheduler {
  readonly #deps: Deps
  readonly #due = new Map<number, number>()
  /** The servers with unsynced changes, and since when they have them. */
  readonly #changed = new Map<number, number>()
  readonly #running = new Map<number, Promise<void>>()
  readonly #limit = new Limit(MAX_CONCURRENT)
  readonly #silent = new Set<number>()
  readonly #silentLimit = new Limit(MAX_CONCURRENT_SILENT)
  #interval_ms = 60_000
  #waiting = new AbortController()
  #next = Number.POSITIVE_INFINITY
  #stopped = true

  constructor(deps: Deps) {
    this.#deps = deps
  }

  start(server_ids: readonly number[], seconds: number): void {
    this.#stopped = false
    this.#interval_ms = seconds * 1000
    for (const id of server_ids) this.#due.set(id, 0)
    this.#spread(Math.min(this.#interval_ms, START_SPREAD_MS))
    this.#tick()
  }

  add(server_id: number): void {
    this.#deps.changed(server_id)
    this.#due.set(server_id, this.#now())
    this.#tick()
  }

  /** Takes all servers and the interval, which another dashboard may have changed. */
  keep(server_ids: readonly number[], seconds: number): void {
    const there = new Set(server_ids)
    for (const id of this.#due.keys()) if (!there.has(id)) this.remove(id)
    for (const id of server_ids) if (!this.#due.has(id)) this.add(id)
    if (seconds * 1000 !== this.#interval_ms) this.setInterval(seconds)
  }

  /** Syncs a server once after a quiet time since its last change, or at the maximum. */
  changed(server_id: number): void {
    this.#deps.changed(server_id)
    const now = this.#now()
    const since = this.#changed.get(server_id) ?? now
    this.#changed.set(server_id, since)
    this.#due.set(server_id, Math.min(now + QUIET_MS, since + MAX_QUIET_MS))
    this.#tick()
  }

  soon(server_id: number): void {
    const due = this.#due.get(server_id)
    if (due === undefined) return
    this.#silent.add(server_id)
    const soon = Math.floor((this.#now() + OFFLINE_MS) / TURN_MS) * TURN_MS
    this.#due.set(server_id, Math.min(due, soon))
    this.#wake(soon)
  }

  remove(server_id: number): void {
    this.#deps.changed(server_id)
    this.#due.delete(server_id)
    this.#changed.delete(server_id)
    this.#silent.delete(server_id)
  }

  /** Changes the interval immediately: the next syncs are spread over the new one. */
  setInterval(seconds: number): void {
    this.#interval_ms = seconds * 1000
    this.#spread(this.#interval_ms)
    this.#tick()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#waiting.abort()
    await Promise.all(this.#running.values())
  }

  get interval_ms(): number {
    return this.#interval_ms
  }

  #now(): number {
    return this.#deps.clock.elapsed()
  }

  #spread(over_ms: number): void {
    const now = this.#now()
    const step = over_ms / Math.max(1, this.#due.size)
    let place = 0
    for (const id of this.#due.keys()) this.#due.set(id, this.#atTurn(now + step * place++))
  }

  #atTurn(due: number): number {
    const turns = Math.max(MIN_TURNS, Math.ceil(this.#due.size / SERVERS_OF_TURN))
    const turn_ms = this.#interval_ms / turns
    return Math.round(due / turn_ms) * turn_ms
  }

  #tick(): void {
    if (this.#stopped) return
    this.#waiting.abort()
    const now = this.#now()
    let next = Number.POSITIVE_INFINITY
    for (const [id, due] of this.#due) {
      if (due > now) next = Math.min(next, due)
      else if (!this.#running.has(id)) next = Math.min(next, this.#turn(id, now))
    }
    this.#next = Math.min(Math.max(next, now + 5), nextMultiple(now, MAX_SLEEP_MS))
    void this.#wait(this.#next - now)
  }

  async #wait(ms: number): Promise<void> {
    this.#waiting = new AbortController()
    const { signal } = this.#waiting
    await this.#deps.clock.sleep(ms, signal)
    if (!signal.aborted) this.#tick()
  }

  /** Wakes up if a turn has come earlier than it was. */
  #wake(due: number): void {
    if (due < this.#next) this.#tick()
  }

  #turn(id: number, now: number): number {
    const rest = this.#deps.rest_ms(id)
    const due = rest > 0 ? now + rest : this.#atTurn(now + this.#interval_ms)
    this.#due.set(id, due)
    if (rest === 0) this.#launch(id)
    return due
  }

  #launch(id: number): void {
    this.#changed.delete(id)
    const limit = this.#silent.has(id) ? this.#silentLimit : this.#limit
    const run = limit
      .run(() => this.#sync(id))
      .finally(() => {
        this.#running.delete(id)
        // Its next turn may have come meanwhile.
        this.#wake(this.#due.get(id) ?? Number.POSITIVE_INFINITY)
      })
    this.#running.set(id, run)
  }

  async #sync(id: number): Promise<void> {
    if (this.#stopped) return
    const contact = await this.#deps.sync(id)
    if (contact === 'answered') this.#silent.delete(id)
    // One that was removed meanwhile is not remembered.
    else if (this.#due.has(id)) this.#silent.add(id)
    if (contact === 'offline') this.soon(id)
  }
}
