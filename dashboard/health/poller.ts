import type { Address } from '#dashboard/agents/transport.ts'
import type { Base } from '#dashboard/db/base.ts'
import { Limit } from '#dashboard/runtime/limit.ts'
import { ServiceError } from '#shared/errors.ts'

interface Deps extends Pick<Base, 'clock' | 'log'> {
  /** The servers of this round. */
  list(): Promise<Address[]>
  /** Reads the health of one server and stores it. */
  read(server: Address): Promise<void>
}

/** An agent finds a broken site within half a minute: with this interval, it is shown within one. */
const TURNS = 10
const TURN_MS = 2000
const AT_ONCE = 16

/** Polls the health of sites of online servers every 20 seconds, a tenth of them at a time. */
export class HealthPoller {
  readonly #deps: Deps
  readonly #limit = new Limit(AT_ONCE)
  readonly #stopping = new AbortController()
  readonly #calls = new Map<number, Promise<void>>()
  #rounds: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  start(): void {
    this.#rounds = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#rounds
    await Promise.all(this.#calls.values())
  }

  async #run(): Promise<void> {
    const { clock, log, list } = this.#deps
    const { signal } = this.#stopping
    let servers: Address[] = []
    for (let turn = 0; !signal.aborted; turn = (turn + 1) % TURNS) {
      await clock.sleep(TURN_MS, signal)
      if (signal.aborted) return
      try {
        if (turn === 0) servers = await list()
        for (const server of servers) if (server.id % TURNS === turn) this.#ask(server)
      } catch (error) {
        log.error('the health of sites could not be read', error)
      }
    }
  }

  #ask(server: Address): void {
    const { log, read } = this.#deps
    if (this.#calls.has(server.id)) return
    const call = this.#limit
      .run(() => (this.#stopping.signal.aborted ? Promise.resolve() : read(server)))
      .catch((error: unknown) => {
        // An older agent does not have the call; the sync reports an offline one.
        const isForeseen = error instanceof ServiceError || this.#stopping.signal.aborted
        if (!isForeseen) log.error('the health of sites could not be stored', error)
      })
      .finally(() => this.#calls.delete(server.id))
    this.#calls.set(server.id, call)
  }
}
