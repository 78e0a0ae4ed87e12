import type { Address } from '#dashboard/agents/transport.ts'
import type { Base } from '#dashboard/db/base.ts'
import { Limit } from '#dashboard/runtime/limit.ts'
import { MINUTE } from './key.ts'
import type { Reading } from './queries.ts'

interface Deps extends Pick<Base, 'clock' | 'log'> {
  /** The servers of this minute. */
  list(): Promise<Address[]>
  ask(server: Address): Promise<Omit<Reading, 'server_id' | 'at'>>
  store(readings: readonly Reading[]): Promise<void>
  /** Reads and stores the numbers of the sites of a server that has answered. */
  count(server: Address): Promise<void>
}

const MINUTE_MS = MINUTE * 1000
/** A minute has ten rounds, each for the servers with one last digit and with one write. */
const TURNS = 10
const FIRST_MS = 2_500
const TURN_MS = 5_000
const AT_ONCE = 16
/** Numbers of sites are a longer answer: slow ones must not delay readings. */
const COUNTS_AT_ONCE = 16

/** Polls the metrics of online servers once a minute. A server without an answer leaves a gap. */
export class Poller {
  readonly #deps: Deps
  readonly #limit = new Limit(AT_ONCE)
  readonly #count_limit = new Limit(COUNTS_AT_ONCE)
  readonly #stopping = new AbortController()
  readonly #calls = new Set<number>()
  readonly #counting = new Set<number>()
  readonly #turns = new Set<Promise<void>>()
  #round: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  start(): void {
    this.#round = this.#rounds()
  }

  /** Resolves when started calls have ended: the caller ends the calls to agents first. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#round
    await Promise.all(this.#turns)
  }

  async #rounds(): Promise<void> {
    const { clock, log, list } = this.#deps
    const { signal } = this.#stopping
    for (;;) {
      await clock.sleep(MINUTE_MS - (clock.now().getTime() % MINUTE_MS), signal)
      if (signal.aborted) return
      // Timers may be a moment early.
      const at = Math.round(clock.now().getTime() / MINUTE_MS) * MINUTE
      try {
        await this.#minute(await list(), at)
      } catch (error) {
        log.error('metrics could not be read', error)
      }
    }
  }

  async #minute(servers: readonly Address[], at: number): Promise<void> {
    const { clock } = this.#deps
    const { signal } = this.#stopping
    for (let turn = 0; turn < TURNS && !signal.aborted; turn++) {
      await clock.sleep(turn === 0 ? FIRST_MS : TURN_MS, signal)
      const mine = servers.filter(({ id }) => id % TURNS === turn && !this.#calls.has(id))
      if (mine.length === 0 || signal.aborted) continue
      const taken = this.#turn(mine, at).finally(() => this.#turns.delete(taken))
      this.#turns.add(taken)
    }
  }

  async #turn(servers: readonly Address[], at: number): Promise<void> {
    const { log, store } = this.#deps
    const answers = await Promise.all(servers.map((server) => this.#ask(server, at)))
    const readings = answers.filter((reading) => reading !== undefined)
    if (readings.length === 0) return
    await store(readings).catch((error: unknown) => log.error('metrics could not be stored', error))
    const answered = new Set(readings.map(({ server_id }) => server_id))
    await Promise.all(
      servers.filter(({ id }) => answered.has(id)).map((server) => this.#count(server)),
    )
  }

  async #count(server: Address): Promise<void> {
    if (this.#counting.has(server.id)) return
    this.#counting.add(server.id)
    await this.#count_limit
      .run(() => (this.#stopping.signal.aborted ? Promise.resolve() : this.#deps.count(server)))
      .catch((error: unknown) =>
        this.#deps.log.error('numbers of sites could not be stored', error),
      )
      .finally(() => this.#counting.delete(server.id))
  }

  async #ask(server: Address, at: number): Promise<Reading | undefined> {
    const { id } = server
    this.#calls.add(id)
    try {
      const answer = await this.#limit.run(() => this.#deps.ask(server))
      return { server_id: id, at, ...answer }
    } catch {
      return undefined
    } finally {
      this.#calls.delete(id)
    }
  }
}
