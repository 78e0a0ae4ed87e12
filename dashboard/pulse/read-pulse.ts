import type { Agents } from '#dashboard/agents/agents.ts'
import { hasOurProtocol } from '#dashboard/agents/protocol.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import type { Base } from '#dashboard/db/base.ts'
import type { HealthReader } from '#dashboard/health/read-health.ts'
import type { Reading } from '#dashboard/metrics/queries.ts'
import { updateNumbers } from '#dashboard/numbers/update.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { nextTurn } from '#dashboard/runtime/spread.ts'
import { type KnownStates, WHOLE } from '#dashboard/sync/known-states.ts'
import type { Pulse } from '#shared/pulse.ts'
import { pulseReading } from '#shared/readings/changes.ts'
import { metricsReading } from '#shared/readings/server.ts'

/** An agent holds a call for at most so long, so that one that does not answer is noticed soon. */
const HOLD_S = 8
const EARLY_MS = 1_000
interface Deps extends Pick<Base, 'db' | 'clock' | 'log'> {
  agents: Agents
  states: KnownStates
  health: HealthReader
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
  (Pick<Pulse, 'health' | 'counted'> | { health?: undefined; counted?: undefined })

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

  /**
   * One call, which an agent of another protocol answers without waiting, and with its metrics alone.
   * Throws offline.
   */
  async read(server: Address, options: PulseOptions): Promise<PulseAnswer> {
    const { agents, states, clock } = this.#deps
    if (!hasOurProtocol(server)) return { metrics: await agents.call(server, metricsReading, {}) }
    const { metrics, version, ...rest } = await this.#hold(server, options)
    const isSame = options.with_state && states.see(server.id, version)
    return { metrics, synced_at: isSame ? timestamp(clock) : undefined, ...rest }
  }

  /** Reads and stores what has changed since the last pulse. */
  async follow(server: Address, { health, counted, synced_at }: PulseAnswer): Promise<void> {
    if (health === undefined) return
    const known = this.#knownOf(server.id)
    const isSettled = known.unsettled && synced_at !== undefined
    known.unsettled = synced_at === undefined
    if (health !== known.health || isSettled) {
      const { health: reader } = this.#deps
      if (isSettled) reader.forget(server.id)
      await reader.update(server)
      known.health = health
    }
    if (counted === known.counted) return
    if (await updateNumbers(this.#deps, server)) known.counted = counted
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
    const { health } = this.#knownOf(server.id)
    const params = { wait: String(wait), health, state: with_state ? 'yes' : 'no' } as const
    const timeout_ms = wait * 1000 + this.#deps.late_ms
    return this.#deps.agents.call(server, pulseReading, params, { timeout_ms, signal })
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
