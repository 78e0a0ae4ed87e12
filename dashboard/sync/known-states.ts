import type { Clock } from '#dashboard/runtime/clock.ts'
import { nextTurn } from '#dashboard/runtime/spread.ts'

/** How long after a whole sync the next one follows: the records may have been changed by others. */
export const WHOLE = { least_ms: 60_000, most_ms: 10 * 60_000 }
/** The same of an agent whose lists are compared: nothing else of it is read. */
export const WHOLE_OF_LISTS = { least_ms: 10 * 60_000, most_ms: 60 * 60_000 }

interface Known {
  version: string
  /** The time of the next whole sync, and of the last contact with this version. */
  whole_at: number
  seen: number
  /** How often it was seen since the sync. */
  times: number
}

/** The versions of the states that servers had when they were synced. In memory: a start syncs all. */
export class KnownStates {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #known = new Map<number, Known>()
  readonly #running = new Map<number, symbol>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** A sync reads all of a server. The result is kept if nothing calls `forget` until it ends. */
  begin(server_id: number): (version: string | null, whole?: typeof WHOLE) => void {
    const mark = Symbol('sync')
    this.#running.set(server_id, mark)
    return (version, whole = WHOLE) => {
      if (this.#running.get(server_id) !== mark) return
      this.#running.delete(server_id)
      const now = this.#clock.elapsed()
      if (version === null) return
      const whole_at = nextTurn(server_id, now, whole)
      this.#known.set(server_id, { version, whole_at, seen: now, times: 0 })
    }
  }

  /** Whether the server still has the state of its last sync, which need not be repeated then. */
  see(server_id: number, version: string | null): boolean {
    const known = this.#known.get(server_id)
    const now = this.#clock.elapsed()
    if (known?.version !== version || now >= known.whole_at) {
      // A whole sync follows, which may record another state before this one returns.
      this.#known.delete(server_id)
      return false
    }
    known.seen = now
    known.times += 1
    return true
  }

  /** The version of the last sync, and how often it was seen since. */
  find(server_id: number): Readonly<Pick<Known, 'version' | 'times'>> | undefined {
    return this.#known.get(server_id)
  }

  /** How long no sync is needed: until `within_ms` after the last contact that has seen this state. */
  rest_ms(server_id: number, within_ms: number): number {
    const known = this.#known.get(server_id)
    if (!known) return 0
    const until = Math.min(known.seen + within_ms, known.whole_at)
    return Math.max(0, until - this.#clock.elapsed())
  }

  /** The server or its records are changed by something else. */
  forget(server_id: number): void {
    this.#known.delete(server_id)
    this.#running.delete(server_id)
  }

  /** Other dashboards may have done the work of the servers meanwhile. */
  clear(): void {
    for (const map of [this.#known, this.#running]) map.clear()
  }
}
