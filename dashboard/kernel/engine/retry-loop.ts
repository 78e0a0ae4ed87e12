import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { storageFault } from '#dashboard/kernel/db/connect.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { cancelTopic } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import { type Clock, sleepOrWake, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isDue } from '#shared/kernel/age.ts'
import {
  bodyOf,
  cancelledError,
  conflict,
  type ErrorBody,
  ServiceError,
} from '#shared/kernel/errors.ts'
import { maybeRunningError, minuteOf, resultUnknownError } from './no-answer-errors.ts'
import type { AttemptContext, Executor, Outcome } from './operation-handle.ts'
import { markWaiting, storeWaiting } from './progress.queries.ts'
import { findOperation } from './queries.ts'
import { type RulesTable, rulesOf } from './rules.ts'
import { storedOutcome, storeFailure } from './store-outcome.ts'

export interface RetryLoopDeps
  extends Pick<
    CommonDeps,
    'db' | 'bus' | 'clock' | 'log' | 'retry_min_ms' | 'retry_max_ms' | 'deadline_ms' | 'notice_ms'
  > {
  types: RulesTable
  executorOf(operation: OperationRow): Executor
}

interface RetryLoopContext extends AttemptContext {
  /** Aborts when the process stops. */
  stopping: AbortSignal
  /** Tells the caller, which does not wait for an agent, that the agent may have the operation. */
  refuse(error: ServiceError): void
}

/** Runs one operation, one attempt after the other, until it has its outcome. */
export class RetryLoop {
  readonly #deps: RetryLoopDeps
  readonly #context: RetryLoopContext

  constructor(deps: RetryLoopDeps, context: RetryLoopContext) {
    this.#deps = deps
    this.#context = context
  }

  /** Runs the operation. Rejects only when this dashboard does not have it any more. */
  async run(operation: OperationRow): Promise<Outcome> {
    const { bus, clock } = this.#deps
    const context = this.#context
    const retry = new RetryPolicy(clock, this.#deps, operation.deadline_at)
    let current: OperationRow = operation
    for (let attempts = 0; ; attempts++) {
      using cancelRequest = bus.next(cancelTopic(operation.id))
      const known = attempts > 0 ? await this.#read(current) : current
      if (known) current = known
      // What another attempt or a cancel request has changed decides what is sent.
      const next = known ? await this.#attempt(known, retry) : retry.pause()
      if (typeof next !== 'number') return next
      retry.failed()
      // A cancelled operation does not wait.
      await sleepOrWake(clock, next, cancelRequest.promise, context.signal)
    }
  }

  /** Returns the operation as it is now; undefined while it cannot be read. */
  async #read({ id }: OperationRow): Promise<OperationRow | undefined> {
    const { db, log } = this.#deps
    if (this.#context.signal.aborted || this.#context.stopping.aborted)
      throw new Error('The operation was dropped')
    try {
      const current = await findOperation(db, id)
      if (current) return current
    } catch (error) {
      log.error('operation could not be read', error, { operation_id: id })
      return undefined
    }
    throw new Error('The operation was deleted')
  }

  /** Makes one attempt. Returns the outcome, or the pause before a retry in ms. */
  async #attempt(operation: OperationRow, retry: RetryPolicy): Promise<Outcome | number> {
    const context = this.#context
    try {
      const ended = await storedOutcome(this.#deps.db, operation)
      if (!ended && wasNeverSent(operation)) throw cancelledError()
      if (!ended && hasExpired(this.#deps, operation)) throw conflict(EXPIRED_TEXT)
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
      if (wasNeverSent(operation))
        return await storeFailure(this.#deps, operation, cancelledError().body)
      const now = timestamp(clock)
      const intime = retry.allows(pause)
      const again = isRetryable(error) && (intime || storageFault(error) !== undefined)
      if (!again) return await storeFailure(this.#deps, operation, failureOf(operation, error))
      if (!waits) this.#context.refuse(maybeRunningError(operation, error))
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

const EXPIRED_TEXT = 'It was not sent at once, because the dashboard had stopped: start it again'

/** Whether a restarted dashboard finds the operation too late to start it as requested. */
function hasExpired({ types, clock }: RetryLoopDeps, operation: OperationRow): boolean {
  const { expires_ms } = rulesOf({ types }, operation.type)
  if (expires_ms === undefined || operation.sent_at !== null) return false
  return isDue(operation.created_at, expires_ms, clock.now())
}

function requestedPause(error: unknown): number {
  return error instanceof ServiceError ? (error.retry_after ?? 0) * 1000 : 0
}

/** Whether the operation was cancelled before anything of it was sent or has begun. */
function wasNeverSent({ cancel, sent_at, started_at }: OperationRow): boolean {
  return cancel !== null && sent_at === null && started_at === null
}

/** Returns the failure. An agent that may have the operation did not report its result. */
function failureOf({ sent_at }: OperationRow, error: unknown): ErrorBody {
  return sent_at !== null && isRetryable(error) ? resultUnknownError(error) : bodyOf(error)
}

/** Whether a retry may help: the agent, or the database, may come back. */
function isRetryable(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code === 'offline'
}

type Deps = Pick<CommonDeps, 'db' | 'bus' | 'clock' | 'notice_ms'>

/** Stores one line with reason and deadline when an agent is not reached for some seconds. */
async function recordWaiting(
  { db, bus, clock, notice_ms }: Deps,
  operation: OperationRow,
  error: unknown,
): Promise<void> {
  const { id, created_at, started_at } = operation
  const waited = clock.now().getTime() - Date.parse(created_at)
  if (started_at !== null || waited < notice_ms) return
  if (await storeWaiting(db, id, waitingMessage(error, operation))) bus.notify(id)
}

function waitingMessage(error: unknown, { sent_at, deadline_at }: OperationRow): string {
  const { message, error: name } = bodyOf(error)
  const end = sent_at === null ? 'the operation fails' : 'the result is unknown'
  return `Waiting for the server until ${minuteOf(deadline_at)}, then ${end}. ${message ?? name}`
}

type RetryLimits = Pick<CommonDeps, 'deadline_ms' | 'retry_min_ms' | 'retry_max_ms'>

/**
 * The remaining time of an operation without its agent, and the pauses between attempts. Only the
 * start uses the time of day, which may change; after that, time is monotonic.
 */
export class RetryPolicy {
  readonly #clock: Clock
  readonly #limits: RetryLimits
  #deadline_at: string
  #end: number
  #failures = 0

  constructor(clock: Clock, limits: RetryLimits, deadline_at: string) {
    this.#clock = clock
    this.#limits = limits
    this.#deadline_at = deadline_at
    const left = Date.parse(deadline_at) - clock.now().getTime()
    this.#end = clock.elapsed() + Math.min(Math.max(left, 0), limits.deadline_ms)
  }

  pause(): number {
    const { retry_min_ms, retry_max_ms } = this.#limits
    return Math.min(retry_min_ms * 2 ** Math.min(this.#failures, 20), retry_max_ms)
  }

  failed(): void {
    this.#failures += 1
  }

  /** Restarts both after a moved deadline: the agent answered, or may have taken the call. */
  contacted(deadline_at: string): void {
    if (deadline_at === this.#deadline_at) return
    this.#deadline_at = deadline_at
    this.#end = this.#clock.elapsed() + this.#limits.deadline_ms
    this.#failures = 0
  }

  /** Whether there is time for another attempt after `pause`. */
  allows(pause: number): boolean {
    return this.#clock.elapsed() + pause <= this.#end
  }
}
