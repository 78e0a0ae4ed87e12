import { ReceiveBudget } from '#dashboard/kernel/agents/output-limits.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { cancelTopic } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import type { Leases } from '#dashboard/kernel/leases/leases.ts'
import { shareOf } from '#dashboard/kernel/leases/shares.ts'
import {
  errorOf,
  handleWithHandOver,
  type OperationHandle,
  type Outcome,
} from './operation-handle.ts'
import { findOperation, listUnfinished } from './queries.ts'
import { RemoteOperationHandle } from './remote-handle.ts'
import { RetryLoop, type RetryLoopDeps } from './retry-loop.ts'

interface Deps extends RetryLoopDeps {
  leases: Leases
  /** Called after each outcome, once it is stored. */
  onFinished(operation: OperationRow, outcome: Outcome): void
}

interface RunningOperation {
  server_id: number
  site_id: number | null
  abort: AbortController
  accept: PromiseWithResolvers<void>
  /** The outcome, or the error when this dashboard stops or hands the operation over. */
  outcome: Promise<Outcome>
  is_handed_over: boolean
  cancel: OperationRow['cancel']
  handle: OperationHandle
}

/** Runs every stored operation of the servers of this dashboard to its outcome. */
export class Worker {
  readonly #deps: Deps
  readonly #running = new Map<string, RunningOperation>()
  readonly #stopping = new AbortController()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Continues the unfinished work of an earlier process, and starts that of other dashboards. */
  async resume(): Promise<number> {
    const { db, bus, leases } = this.#deps
    let started = 0
    for (const { id, server_id, cancel } of await listUnfinished(db)) {
      const running = this.#running.get(id)
      if (running && running.cancel !== cancel) {
        running.cancel = cancel
        bus.notify(cancelTopic(id))
      }
      if (running || !leases.holds(shareOf(server_id))) continue
      // It may have ended since the list was read.
      const operation = await findOperation(db, id)
      if (!operation || operation.finished_at !== null || this.#running.has(id)) continue
      this.start(operation)
      started += 1
    }
    return started
  }

  /** Starts an operation, unless it runs here or at another dashboard, and returns its handle. */
  start(operation: OperationRow): OperationHandle {
    const { leases } = this.#deps
    const known = this.#running.get(operation.id)
    if (known) return known.handle
    const remote = new RemoteOperationHandle(this.#deps, operation, this.#stopping.signal)
    const share = shareOf(operation.server_id)
    if (this.#stopping.signal.aborted || !leases.holds(share)) return remote
    const abort = new AbortController()
    const accept = Promise.withResolvers<void>()
    const allowance = new ReceiveBudget()
    const { signal } = abort
    const ends = { signal, stopping: this.#stopping.signal, refuse: accept.reject }
    const retryLoop = new RetryLoop(this.#deps, { ...ends, accept: accept.resolve, allowance })
    const outcome = leases.run(share, () => retryLoop.run(operation))
    const { server_id, site_id, cancel } = operation
    const running = { server_id, site_id, cancel, abort, accept, outcome, is_handed_over: false }
    const handle = handleWithHandOver(operation.id, running, remote)
    const entry: RunningOperation = Object.assign(running, { handle })
    this.#running.set(operation.id, entry)
    this.#reportEnd(operation, entry)
    return handle
  }

  /** Drops operations whose records were deleted. */
  cancel(matches: (running: Pick<RunningOperation, 'server_id' | 'site_id'>) => boolean): void {
    for (const running of this.#running.values()) if (matches(running)) running.abort.abort()
  }

  /** Leaves the operations of these shares to the dashboard that has them now. */
  handOver(shares: readonly string[]): void {
    for (const [id, running] of this.#running) {
      if (!shares.includes(shareOf(running.server_id))) continue
      running.is_handed_over = true
      this.#running.delete(id)
      running.abort.abort()
    }
  }

  /** Stops everything: the records stay unchanged for the next process. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.cancel(() => true)
    await Promise.allSettled([...this.#running.values()].map(({ outcome }) => outcome))
  }

  #reportEnd(operation: OperationRow, running: RunningOperation): void {
    const { log, onFinished } = this.#deps
    const { id: operation_id, type, server_id } = operation
    log.info('operation started', { operation_id, type, server_id })
    this.#deps.bus.notify(operation_id)
    running.outcome
      .then((outcome) => {
        if (outcome.status === 'success') running.accept.resolve()
        else running.accept.reject(errorOf(outcome.error))
        log.info('operation ended', { operation_id, type, status: outcome.status })
        onFinished(operation, outcome)
      }, running.accept.reject)
      .finally(() => {
        if (this.#running.get(operation_id) === running) this.#running.delete(operation_id)
      })
  }
}
