import type { Clock } from '#dashboard/runtime/clock.ts'
import { nextTurn } from '#dashboard/runtime/spread.ts'
import { ServiceError } from '#shared/errors.ts'

/** How long a call is not sent to an agent that does not have it. */
const AVOIDED = { least_ms: 60_000, most_ms: 10 * 60_000 }

interface Missing {
  until: number
  error: ServiceError
}

/** The calls that agents do not have: they are answered from memory for some minutes. */
export class MissingCalls {
  readonly #clock: Pick<Clock, 'elapsed'>
  /** By server, then by path. */
  readonly #missing = new Map<number, Map<string, Missing>>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Sends a call, or throws not_found as its agent did a short while ago. */
  async send<T>(server_id: number, path: string, send: () => Promise<T>): Promise<T> {
    const known = this.#find(server_id, path)
    if (known) throw known.error
    try {
      return await send()
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found')
        this.#add(server_id, path, error)
      throw error
    }
  }

  /** Whether the agent has answered lately that it does not have the call. */
  has(server_id: number, path: string): boolean {
    return this.#find(server_id, path) !== undefined
  }

  /** The server or its agent has changed. */
  forget(server_id: number): void {
    this.#missing.delete(server_id)
  }

  #find(server_id: number, path: string): Missing | undefined {
    const known = this.#missing.get(server_id)?.get(path)
    return known && this.#clock.elapsed() < known.until ? known : undefined
  }

  #add(server_id: number, path: string, error: ServiceError): void {
    const of = this.#missing.get(server_id) ?? new Map<string, Missing>()
    const until = nextTurn(server_id, this.#clock.elapsed(), AVOIDED)
    // An agent that still lacks one of them lacks the others, too.
    if (of.has(path)) for (const each of of.values()) each.until = until
    this.#missing.set(server_id, of.set(path, { until, error }))
  }
}
