import { tooMany } from '#shared/kernel/errors.ts'

/** For one server: unanswered requests hold at most this number of calls to agents. */
const AT_ONCE = 8

/** The requests to Adminer that are on their way, by server. */
export class ToolVisits {
  readonly #running = new Map<number, number>()

  /** Throws too_many for one too many. */
  async run<T>(server_id: number, work: () => Promise<T>): Promise<T> {
    const count = this.#running.get(server_id) ?? 0
    if (count >= AT_ONCE)
      throw tooMany('Adminer has too many requests on this server: try again', 5)
    this.#running.set(server_id, count + 1)
    try {
      return await work()
    } finally {
      const left = (this.#running.get(server_id) ?? 1) - 1
      if (left > 0) this.#running.set(server_id, left)
      else this.#running.delete(server_id)
    }
  }
}
