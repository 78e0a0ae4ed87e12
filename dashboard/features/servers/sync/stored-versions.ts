import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { nextSpreadTime } from '#dashboard/kernel/runtime/spread-times.ts'
import type { ChangesPart } from '#shared/servers/changes.ts'

/** The time until everything is read again, since others may change records. */
const FULL_READ = { least_ms: 60_000, most_ms: 10 * 60_000 }
/** The same range for an agent whose lists are compared: nothing else of it is read. */
const FULL_READ_OF_LISTS = { least_ms: 10 * 60_000, most_ms: 60 * 60_000 }

/**
 * What is stored of a server, as versions of its parts; one that is absent has to be stored. It is
 * replaced when everything is read again.
 */
export interface ServerVersions extends Partial<Record<ChangesPart, string | undefined>> {
  readonly whole_at: number
  /** Whether its agent has another protocol: the state is then that of two lists. */
  readonly has_lists: boolean
  seen: number
  /** How often the state was seen since it was stored. */
  times: number
}

/** The versions of everything that is stored of servers, in memory: a start reads all of it. */
export class StoredVersions {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #known = new Map<number, ServerVersions>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Returns the versions of a server, which are empty at first. */
  of(server_id: number, has_lists = false): ServerVersions {
    const now = this.#clock.elapsed()
    const before = this.#known.get(server_id)
    if (before?.has_lists === has_lists && now < before.whole_at) return before
    const whole_at = nextSpreadTime(server_id, now, has_lists ? FULL_READ_OF_LISTS : FULL_READ)
    const known = { whole_at, has_lists, seen: now, times: 0 }
    this.#known.set(server_id, known)
    return known
  }

  /** Whether nothing has called `forget` since. */
  isCurrent(server_id: number, known: ServerVersions): boolean {
    return this.#known.get(server_id) === known
  }

  /** Notes that the server was seen with the stored state, or with `state`, stored now. */
  see(known: ServerVersions, state = known.state): void {
    known.times = state === known.state ? known.times + 1 : 0
    known.state = state
    known.seen = this.#clock.elapsed()
  }

  /** Returns how long no sync is needed: `within_ms` from the last contact with the state. */
  rest_ms(server_id: number, within_ms: number): number {
    const known = this.#known.get(server_id)
    if (known?.state === undefined) return 0
    const until = Math.min(known.seen + within_ms, known.whole_at)
    return Math.max(0, until - this.#clock.elapsed())
  }

  /** Forgets a server that something else has changed, or its records. */
  forget(server_id: number): void {
    this.#known.delete(server_id)
  }

  /** Forgets all servers: other dashboards may have done their work meanwhile. */
  clear(): void {
    this.#known.clear()
  }
}
