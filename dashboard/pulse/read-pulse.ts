import type { Agents } from '#dashboard/agents/agents.ts'
import { reachCodeOf } from '#dashboard/agents/answer.ts'
import type { MissingCalls } from '#dashboard/agents/missing-calls.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import type { Base } from '#dashboard/db/base.ts'
import type { HealthReader } from '#dashboard/health/read-health.ts'
import type { Reading } from '#dashboard/metrics/queries.ts'
import { updateNumbers } from '#dashboard/numbers/update.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { nextTurn } from '#dashboard/runtime/spread.ts'
import { type KnownStates, WHOLE } from '#dashboard/sync/known-states.ts'
import { readMinute } from '#dashboard/sync/read-state.ts'
import { ServiceError } from '#shared/errors.ts'
import { Pulse } from '#shared/pulse.ts'

/** An agent holds a call for at most so long, so that one that does not answer is noticed soon. */
const HOLD_S = 8
const EARLY_MS = 1_000
interface Deps extends Pick<Base, 'db' | 'clock' | 'log'> {
  agents: Agents
  states: KnownStates
  missing: MissingCalls
  health: HealthReader
  contact_ms: number
  /** How late the answer of a held call may be. */
  late_ms: number
}

/** What the dashboard has read of a server, as the agent names it. */
interface Known {
  /** When all of it is read again. */
  until: number
  health: string
  counted: number
  /** Whether its state was not that of its last sync: the sync may record more sites. */
  unsettled: boolean
}

export type PulseAnswer = Omit<Reading, 'server_id' | 'at'> &
  Partial<Pick<Pulse, 'health' | 'counted'>>

export interface PulseOptions {
  /** How long the agent waits for a change of health, in seconds. */
  wait: number
  /** Whether the version of the state is wanted, since it saves the next sync. */
  with_state: boolean
  signal: AbortSignal
}

/** The pulses of servers, and the readings that follow from them. */
export class PulseReader {
  readonly #deps: Deps
  readonly #known = new Map<number, Known>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** One call. An older agent answers it without waiting, and without `health`. Throws offline. */
  async read(server: Address, options: PulseOptions): Promise<PulseAnswer> {
    const { states, clock, missing } = this.#deps
    try {
      const held = () => this.#hold(server, options)
      const { metrics, version, ...rest } = await missing.send(server.id, '/pulse', held)
      const isSame = options.with_state && states.see(server.id, version)
      const synced_at = isSame ? timestamp(clock) : undefined
      return { metrics, synced_at, ...rest }
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
      return readMinute(this.#deps, server, options.with_state)
    }
  }

  /** Reads and stores what has changed since the last pulse. */
  async follow(server: Address, answer: PulseAnswer): Promise<void> {
    const known = this.#knownOf(server.id)
    const { health = '', counted, synced_at } = answer
    const isSettled = known.unsettled && synced_at !== undefined
    known.unsettled = synced_at === undefined
    if (health === '' || health !== known.health || isSettled) {
      const { missing, health: reader } = this.#deps
      if (isSettled) reader.forget(server.id)
      await missing.send(server.id, '/sites/health', () => reader.update(server))
      known.health = health
    }
    if (counted !== undefined && counted === known.counted) return
    if (await updateNumbers(this.#deps, server)) known.counted = counted ?? NEVER
  }

  /** The records of the sites of a server may differ from what was read. */
  forget(server_id: number): void {
    this.#known.delete(server_id)
    this.#deps.health.forget(server_id)
  }

  /** Frees the memory of other servers. */
  keep(server_ids: readonly number[]): void {
    const there = new Set(server_ids)
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id)
    this.#deps.health.keep(server_ids)
  }

  /** Calls one after the other until one is answered early, or the time of the last one is over. */
  async #hold(server: Address, options: PulseOptions): Promise<Pulse> {
    const { clock } = this.#deps
    const end = clock.elapsed() + options.wait * 1000
    for (;;) {
      const left = Math.max(0, Math.round((end - clock.elapsed()) / 1000))
      const isLast = left <= HOLD_S
      const wait = Math.min(left, HOLD_S)
      const with_state = options.with_state && isLast
      const began = clock.elapsed()
      const answer = await this.#ask(server, { ...options, wait, with_state })
      const isEarly = clock.elapsed() - began < wait * 1000 - EARLY_MS
      if (isLast || isEarly || answer.health !== this.#knownOf(server.id).health) return answer
    }
  }

  async #ask(server: Address, { wait, with_state, signal }: PulseOptions): Promise<Pulse> {
    const { agents, states } = this.#deps
    const state = with_state && !states.avoids(server.id)
    const { health } = this.#knownOf(server.id)
    const query = `wait=${wait}&health=${health}&state=${state ? 'yes' : 'no'}`
    const timeout_ms = wait * 1000 + this.#deps.late_ms
    try {
      return await agents.held(server, `/pulse?${query}`, Pulse, { timeout_ms, signal })
    } catch (error) {
      // The state of a slow server is left to the syncs.
      if (state && reachCodeOf(error) === 'timed_out') states.avoid(server.id)
      throw error
    }
  }

  #knownOf(server_id: number): Known {
    const now = this.#deps.clock.elapsed()
    const before = this.#known.get(server_id)
    if (before && now < before.until) return before
    if (before) this.#deps.health.forget(server_id)
    const until = nextTurn(server_id, now, WHOLE)
    const known = { until, health: '', counted: NEVER, unsettled: true }
    this.#known.set(server_id, known)
    return known
  }
}

/** No time of a count. */
const NEVER = -1
