import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { sleepOrWake } from '#dashboard/kernel/runtime/clock.ts'
import { maybeRunningError } from './no-answer-errors.ts'
import { errorOf, type OperationHandle, type Outcome } from './operation-handle.ts'
import { findOperation } from './queries.ts'
import { storedOutcome } from './store-outcome.ts'

type Deps = Pick<CommonDeps, 'db' | 'bus' | 'clock'>

/** The interval for changes without news: the other dashboard may have been killed. */
const POLL_MS = 500

/** The handle of an operation of another dashboard, whose records it reads when awaited. */
export class RemoteOperationHandle implements OperationHandle {
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
    const outcome = this.#poll()
    this.#accept.promise.catch(() => undefined)
    outcome.then((ended) => {
      if (ended.status === 'success') this.#accept.resolve()
      else this.#accept.reject(errorOf(ended.error))
    }, this.#accept.reject)
    return outcome
  }

  async #poll(): Promise<Outcome> {
    const { db, bus, clock } = this.#deps
    const { id } = this.#operation
    while (!this.#signal.aborted) {
      using news = bus.next(id)
      // The database may come back.
      const current = await findOperation(db, id).catch(() => null)
      if (current === undefined) throw new Error('The operation was deleted')
      const ended = current && (await this.#outcomeOf(current).catch(() => undefined))
      if (ended) return ended
      await sleepOrWake(clock, POLL_MS, news.promise, this.#signal)
    }
    throw new Error('The operation was dropped')
  }

  async #outcomeOf(current: OperationRow): Promise<Outcome | undefined> {
    const { created_at, deadline_at } = this.#operation
    const ended = await storedOutcome(this.#deps.db, current)
    if (ended) return ended
    const waits = deadline_at > created_at
    if (current.started_at !== null) this.#accept.resolve()
    else if (!waits && current.error !== null)
      this.#accept.reject(maybeRunningError(current, errorOf(current.error)))
    return undefined
  }
}
