import type { Base } from '#dashboard/kernel/db/base.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { rest } from '#dashboard/kernel/runtime/clock.ts'
import { storedOutcome } from './finish.ts'
import { errorOf, type Job, type Outcome } from './job.ts'
import { findOperation } from './queries.ts'
import { stillAsked } from './unanswered.ts'

type Deps = Pick<Base, 'db' | 'bus' | 'clock'>

/** For changes without news: the other dashboard may have been killed. */
const LOOK_MS = 500

/** An operation that another dashboard runs, as its records show it. They are read once somebody waits. */
export class JobElsewhere implements Job {
  readonly operation_id: string
  readonly #deps: Deps
  readonly #operation: OperationRow
  readonly #signal: AbortSignal
  readonly #accept = Promise.withResolvers<void>()
  #finished: Promise<Outcome> | undefined

  constructor(deps: Deps, operation: OperationRow, signal: AbortSignal) {
    this.operation_id = operation.id
    this.#deps = deps
    this.#operation = operation
    this.#signal = signal
  }

  get accepted(): Promise<void> {
    void this.finished
    return this.#accept.promise
  }

  get finished(): Promise<Outcome> {
    this.#finished ??= this.#follow()
    return this.#finished
  }

  #follow(): Promise<Outcome> {
    const outcome = this.#watch()
    this.#accept.promise.catch(() => undefined)
    outcome.then((ended) => {
      if (ended.status === 'success') this.#accept.resolve()
      else this.#accept.reject(errorOf(ended.error))
    }, this.#accept.reject)
    return outcome
  }

  async #watch(): Promise<Outcome> {
    const { db, bus, clock } = this.#deps
    const { id } = this.#operation
    while (!this.#signal.aborted) {
      using news = bus.next(id)
      // The database may come back.
      const current = await findOperation(db, id).catch(() => null)
      if (current === undefined) throw new Error('The operation was deleted')
      const ended = current && (await this.#look(current).catch(() => undefined))
      if (ended) return ended
      await rest(clock, LOOK_MS, news.promise, this.#signal)
    }
    throw new Error('The operation was dropped')
  }

  async #look(current: OperationRow): Promise<Outcome | undefined> {
    const { created_at, deadline_at } = this.#operation
    const ended = await storedOutcome(this.#deps.db, current)
    if (ended) return ended
    const waits = deadline_at > created_at
    if (current.started_at !== null) this.#accept.resolve()
    else if (!waits && current.error !== null)
      this.#accept.reject(stillAsked(current, errorOf(current.error)))
    return undefined
  }
}
