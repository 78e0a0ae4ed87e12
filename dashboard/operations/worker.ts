import { Allowance } from '#dashboard/agents/output-limits.ts'
import type { Base } from '#dashboard/db/base.ts'
import { storageFault } from '#dashboard/db/connect.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { rest, timestamp } from '#dashboard/runtime/clock.ts'
import { bodyOf, cancelledError, type ErrorBody, ServiceError } from '#shared/errors.ts'
import { cancelTopic } from './cancel/cancel-request.ts'
import { fail, storedOutcome } from './finish.ts'
import { type Executor, errorOf, type Job, type Outcome, type RunContext } from './job.ts'
import { markWaiting } from './progress.queries.ts'
import { findOperation, listActive } from './queries.ts'
import { RetryPolicy } from './retry-policy.ts'
import type { RulesTable } from './rules.ts'
import { resultUnknown, stillAsked } from './unanswered.ts'
import { recordWaiting } from './waiting.ts'

interface Deps
  extends Pick<
    Base,
    'db' | 'bus' | 'clock' | 'log' | 'retry_min_ms' | 'retry_max_ms' | 'deadline_ms' | 'notice_ms'
  > {
  types: RulesTable
  executorOf(operation: OperationRow): Executor
  /** Called after each outcome, once it is stored. */
  onFinished(operation: OperationRow, outcome: Outcome): void
}

type Running = Job & {
  server_id: number
  site_id: number | null
  abort: AbortController
  accept: PromiseWithResolvers<void>
}

/** Runs every stored operation to its outcome: one delivery at a time each, until the deadline. */
export class Worker {
  readonly #deps: Deps
  readonly #running = new Map<string, Running>()
  #stopped = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Continues the unfinished work of an earlier process. */
  async resume(): Promise<number> {
    const left = await listActive(this.#deps.db)
    for (const operation of left) this.start(operation)
    return left.length
  }

  /** The job of an operation: the running one if there is one. */
  start(operation: OperationRow): Job {
    const known = this.#running.get(operation.id)
    if (known) return known
    const abort = new AbortController()
    const accept = Promise.withResolvers<void>()
    const allowance = new Allowance()
    const context = { signal: abort.signal, accept: () => accept.resolve(), allowance }
    const finished = this.#carry(operation, context)
    const { id: operation_id, server_id, site_id } = operation
    const place = { operation_id, server_id, site_id }
    const job = { ...place, abort, accept, accepted: accept.promise, finished }
    this.#running.set(operation_id, job)
    this.#settle(operation, job)
    return job
  }

  /** Drops operations whose records were deleted. */
  cancel(matches: (job: Pick<Running, 'server_id' | 'site_id'>) => boolean): void {
    for (const job of this.#running.values()) if (matches(job)) job.abort.abort()
  }

  /** Stops everything: the records stay unchanged for the next process. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.cancel(() => true)
    await Promise.allSettled([...this.#running.values()].map(({ finished }) => finished))
  }

  #settle(operation: OperationRow, job: Running): void {
    const { log, onFinished } = this.#deps
    const { id: operation_id, type, server_id } = operation
    log.info('operation started', { operation_id, type, server_id })
    this.#deps.bus.notify(operation_id)
    job.accepted.catch(() => undefined)
    job.finished
      .then((outcome) => {
        if (outcome.status === 'success') job.accept.resolve()
        else job.accept.reject(errorOf(outcome.error))
        log.info('operation ended', { operation_id, type, status: outcome.status })
        onFinished(operation, outcome)
      }, job.accept.reject)
      .finally(() => this.#running.delete(operation.id))
  }

  async #carry(operation: OperationRow, context: RunContext): Promise<Outcome> {
    const { bus, clock } = this.#deps
    const retry = new RetryPolicy(clock, this.#deps, operation.deadline_at)
    let current: OperationRow = operation
    for (let tries = 0; ; tries++) {
      using cancelRequest = bus.next(cancelTopic(operation.id))
      const known = tries > 0 ? await this.#again(current, context.signal) : current
      if (known) current = known
      // What another delivery or a cancel request has changed decides what is sent.
      const next = known ? await this.#try(known, context, retry) : retry.pause()
      if (typeof next !== 'number') return next
      retry.failed()
      // A cancelled operation does not wait.
      await rest(clock, next, cancelRequest.promise, context.signal)
    }
  }

  /** As it is now; undefined while it cannot be read. */
  async #again({ id }: OperationRow, signal: AbortSignal): Promise<OperationRow | undefined> {
    const { db, log } = this.#deps
    if (signal.aborted || this.#stopped) throw new Error('The operation was dropped')
    try {
      const current = await findOperation(db, id)
      if (current) return current
    } catch (error) {
      log.error('operation could not be read', error, { operation_id: id })
      return undefined
    }
    throw new Error('The operation was deleted')
  }

  /** One delivery. A number: the pause before a retry in ms. Rejects only when the process stops. */
  async #try(
    operation: OperationRow,
    context: RunContext,
    retry: RetryPolicy,
  ): Promise<Outcome | number> {
    try {
      const ended = await storedOutcome(this.#deps.db, operation)
      if (!ended && wasNeverSent(operation)) throw cancelledError()
      return ended ?? (await this.#deps.executorOf(operation)(operation, context))
    } catch (error) {
      if (context.signal.aborted) throw error
      if (!(error instanceof ServiceError))
        this.#deps.log.error('operation failed unexpectedly', error, { operation_id: operation.id })
      return await this.#afterFailure(operation.id, error, retry)
    }
  }

  async #afterFailure(operation_id: string, error: unknown, retry: RetryPolicy) {
    const { db, clock, log } = this.#deps
    const pauseOf = () => Math.max(retry.pause(), requestedPause(error))
    try {
      const operation = await findOperation(db, operation_id)
      if (!operation) return pauseOf()
      const waits = retry.allows(pauseOf())
      retry.contacted(operation.deadline_at)
      const pause = pauseOf()
      const ended = await storedOutcome(db, operation)
      if (ended) return ended
      if (wasNeverSent(operation)) return await fail(this.#deps, operation, cancelledError().body)
      const now = timestamp(clock)
      const intime = retry.allows(pause)
      const again = isWorthAnotherTry(error) && (intime || storageFault(error) !== undefined)
      if (!again) return await fail(this.#deps, operation, failureOf(operation, error))
      if (!waits) this.#running.get(operation_id)?.accept.reject(stillAsked(operation, error))
      const { deadline_at } = operation
      const next_at = timestamp(clock, pause)
      await recordWaiting(this.#deps, operation, error)
      await markWaiting(db, operation_id, { next_at, deadline_at, error: bodyOf(error) })
      log.info('operation waits', { operation_id, now, next_at })
      return pause
    } catch (cause) {
      log.error('operation could not be recorded', cause, { operation_id })
      return pauseOf()
    }
  }
}

/** The Retry-After of the agent, in ms. */
function requestedPause(error: unknown): number {
  return error instanceof ServiceError ? (error.retry_after ?? 0) * 1000 : 0
}

/** Cancelled before it was sent to an agent. One of several servers has only begun. */
function wasNeverSent({ cancel, sent_at, started_at }: OperationRow): boolean {
  return cancel !== null && sent_at === null && started_at === null
}

/** An agent that may have the operation did not report its result. */
function failureOf({ sent_at }: OperationRow, error: unknown): ErrorBody {
  return sent_at !== null && isWorthAnotherTry(error) ? resultUnknown(error) : bodyOf(error)
}

/** The agent may come back; an unforeseen error may be the database, which may come back too. */
function isWorthAnotherTry(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code === 'offline'
}
