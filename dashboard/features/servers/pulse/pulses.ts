import { MINUTE } from '#dashboard/features/metrics/key.ts'
import type { Reading } from '#dashboard/features/metrics/queries.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { PulseAnswer } from './read-pulse.ts'

interface Deps extends Pick<CommonDeps, 'clock' | 'log'> {
  list(): Promise<AgentAddress[]>
  /** Returns one of them; undefined when it is offline. */
  find(server_id: number): Promise<AgentAddress | undefined>
  /** Calls the agent, which may hold the call for `wait` seconds. */
  ask(server: AgentAddress, wait: number, signal: AbortSignal): Promise<PulseAnswer>
  store(readings: readonly Reading[]): Promise<void>
  /** Contacts a server that did not answer; it is met again when it answers. */
  lost(server: AgentAddress, how: { error?: ServiceError; signal: AbortSignal }): Promise<void>
  follow(server: AgentAddress, answer: PulseAnswer): Promise<void>
  sync(server: AgentAddress, answer: PulseAnswer): Promise<void>
}

const MINUTE_MS = MINUTE * 1000
/** The turns of a minute, each for the servers with one remainder. */
const TURNS = 50
const TURN_MS = 1_000
const FIRST_MS = 2_500
/** How long an agent holds a call: an answer comes before the next turn of its server. */
const HOLD_S = 50
const MARGIN_S = 3
/** The pause after an early answer, however often the health of a site changes. */
const PAUSE_MS = 10_000
/** The pause after `again`: what an operation changes is complete soon. */
const QUIET_MS = 1_000
const COLLECT_MS = 500
/** The maximum of concurrent stores of changes: slow agents must not delay readings. */
const MAX_CONCURRENT_FOLLOWS = 16
/** The maximum of concurrent syncs, which must not delay the health of other servers. */
const MAX_CONCURRENT_SYNCS = 64

/** Holds one call for each online server and minute. A server without an answer leaves a gap. */
export class Pulses {
  readonly #deps: Deps
  readonly #limit = new Limit(MAX_CONCURRENT_FOLLOWS)
  readonly #syncs = new Limit(MAX_CONCURRENT_SYNCS)
  readonly #stopping = new AbortController()
  readonly #open = new Map<number, AbortController>()
  readonly #storing = new Set<number>()
  readonly #met = new Set<number>()
  readonly #running = new Set<Promise<void>>()
  #collected: Reading[] = []
  #round: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  start(): void {
    this.#round = this.#rounds()
  }

  /** Resolves when started calls have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const held of this.#open.values()) held.abort()
    await this.#round
    await Promise.all(this.#running)
  }

  /** Whether the server had a call in this minute or the last one, and has answered. */
  has(server_id: number): boolean {
    return this.#met.has(server_id)
  }

  /** Ends the held call of a server whose state may have changed: it is repeated soon. */
  again(server_id: number): void {
    this.#open.get(server_id)?.abort()
  }

  /** Calls a server after a sync, before its turn, if it had no call yet. Never throws. */
  async meet(server_id: number): Promise<void> {
    if (this.#met.has(server_id) || this.#open.has(server_id)) return
    const server = await this.#deps.find(server_id).catch(() => undefined)
    if (!server || this.#open.has(server_id) || this.#stopping.signal.aborted) return
    const now = this.#deps.clock.now().getTime() % MINUTE_MS
    const turn = FIRST_MS + (server_id % TURNS) * TURN_MS
    const seconds = Math.floor(((turn - now + MINUTE_MS) % MINUTE_MS) / 1000) - MARGIN_S
    this.#keep(this.#follow(server, Math.min(Math.max(seconds, 1), HOLD_S)))
  }

  async #rounds(): Promise<void> {
    const { clock, log, list } = this.#deps
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await clock.sleep(MINUTE_MS - (clock.now().getTime() % MINUTE_MS), signal)
      if (signal.aborted) return
      try {
        const servers = await list()
        this.#forgetOthers(servers)
        await this.#minute(servers)
      } catch (error) {
        log.error('the servers of the minute could not be read', error)
      }
    }
  }

  /** Forgets the servers that went offline meanwhile or are deleted. */
  #forgetOthers(servers: readonly AgentAddress[]): void {
    const there = new Set(servers.map(({ id }) => id))
    for (const id of this.#met) if (!there.has(id)) this.#met.delete(id)
  }

  async #minute(servers: readonly AgentAddress[]): Promise<void> {
    const { clock } = this.#deps
    const { signal } = this.#stopping
    const turns = Map.groupBy(servers, ({ id }) => id % TURNS)
    let before = 0
    for (const turn of [...turns.keys()].sort((one, other) => one - other)) {
      const at = FIRST_MS + turn * TURN_MS
      await clock.sleep(at - before, signal)
      if (signal.aborted) return
      before = at
      for (const server of turns.get(turn) ?? [])
        if (!this.#open.has(server.id)) this.#keep(this.#follow(server, HOLD_S))
    }
  }

  async #follow(server: AgentAddress, seconds: number): Promise<void> {
    const { clock } = this.#deps
    const { signal } = this.#stopping
    const end = clock.elapsed() + seconds * 1000
    const left = () => Math.floor((end - clock.elapsed()) / 1000)
    const last = this.#minuteIn(seconds)
    this.#met.add(server.id)
    try {
      while (left() > 0) {
        const pause = await this.#once(server, left(), last)
        if (pause === undefined || signal.aborted) return
        await clock.sleep(Math.min(pause, Math.max(0, left()) * 1000), signal)
      }
    } catch (error) {
      this.#report('a pulse could not be read', error)
      if (isOffline(error)) this.lose(server, error)
    } finally {
      this.#open.delete(server.id)
    }
  }

  /** Notes that the server has not answered another call. */
  lose(server: AgentAddress, error?: ServiceError): void {
    if (this.#stopping.signal.aborted) return
    this.#met.delete(server.id)
    this.#keep(
      this.#deps
        .lost(server, { ...(error && { error }), signal: this.#stopping.signal })
        .catch((failed: unknown) => this.#report('a server could not be contacted', failed)),
    )
  }

  /** Makes one call. Returns the pause before the next one; undefined when there is none. */
  async #once(server: AgentAddress, wait: number, last: number): Promise<number | undefined> {
    const held = new AbortController()
    this.#open.set(server.id, held)
    try {
      const answer = await this.#deps.ask(server, wait, held.signal)
      const at = Math.min(last, this.#minuteIn(0))
      this.#collect({ server_id: server.id, at, ...metricsOf(answer) })
      if (!this.#storing.has(server.id)) this.#keep(this.#read(server, answer))
      // An agent of another protocol does not wait.
      return answer.changes === undefined ? undefined : PAUSE_MS
    } catch (error) {
      if (held.signal.aborted) return QUIET_MS
      throw error
    }
  }

  async #read(server: AgentAddress, answer: PulseAnswer): Promise<void> {
    this.#storing.add(server.id)
    try {
      await this.#limit.run(async () => {
        if (!this.#stopping.signal.aborted) await this.#deps.follow(server, answer)
      })
      await this.#syncs.run(async () => {
        if (!this.#stopping.signal.aborted) await this.#deps.sync(server, answer)
      })
    } catch (error) {
      this.#report('the changes of a server could not be stored', error)
    } finally {
      this.#storing.delete(server.id)
    }
  }

  /** Returns the minute in seconds since 1970. */
  #minuteIn(seconds: number): number {
    return Math.floor((this.#deps.clock.now().getTime() / 1000 + seconds) / MINUTE) * MINUTE
  }

  #collect(reading: Reading): void {
    this.#collected.push(reading)
    if (this.#collected.length === 1) this.#keep(this.#store())
  }

  async #store(): Promise<void> {
    const { clock, log, store } = this.#deps
    await clock.sleep(COLLECT_MS, this.#stopping.signal)
    const readings = this.#collected
    this.#collected = []
    await store(readings).catch((error: unknown) => log.error('metrics could not be stored', error))
  }

  /** Reports a failure of the own work; the sync reports an offline server. */
  #report(message: string, error: unknown): void {
    if (error instanceof ServiceError || this.#stopping.signal.aborted) return
    this.#deps.log.error(message, error)
  }

  #keep(work: Promise<void>): void {
    const kept = work.finally(() => this.#running.delete(kept))
    this.#running.add(kept)
  }
}

const isOffline = (error: unknown): error is ServiceError => isServiceError(error, 'offline')

const metricsOf = ({ metrics, synced_at }: PulseAnswer) => ({ metrics, synced_at })
