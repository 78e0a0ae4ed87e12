import type { ReceiveBudget } from '#dashboard/kernel/agents/output-limits.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { type ErrorBody, errorNameOf, ServiceError } from '#shared/kernel/errors.ts'

export type Outcome =
  | { status: 'success'; data: Record<string, unknown> }
  | { status: 'failed'; error: ErrorBody }

/** The handle of an operation, here or at another dashboard. Both promises may be ignored. */
export interface OperationHandle {
  operation_id: string
  /**
   * Resolves when the work has started; rejects with the reason of a failure, or when the call may
   * have been taken and its caller does not wait for an agent.
   */
  accepted: Promise<void>
  /** Resolves with the outcome; rejects only when this process stops. */
  finished: Promise<Outcome>
}

export interface AttemptContext {
  signal: AbortSignal
  allowance: ReceiveBudget
  accept(): void
}

/** Runs an operation once. Throws a ServiceError: `offline` is retried, others are final. */
export type Executor = (operation: OperationRow, context: AttemptContext) => Promise<Outcome>

/** Makes a handle that becomes one of another dashboard when the operation is handed over. */
export function handleWithHandOver(
  operation_id: string,
  here: { accept: { promise: Promise<void> }; outcome: Promise<Outcome>; is_handed_over: boolean },
  remote: OperationHandle,
): OperationHandle {
  const accepted = here.accept.promise.catch((error: unknown) => {
    if (here.is_handed_over) return remote.accepted
    throw error
  })
  const finished = here.outcome.catch((error: unknown) => {
    if (here.is_handed_over) return remote.finished
    throw error
  })
  accepted.catch(() => undefined)
  finished.catch(() => undefined)
  return { operation_id, accepted, finished }
}

export function errorOf(body: ErrorBody): ServiceError {
  const { message, fields, code } = body
  const name = errorNameOf(body) ?? 'internal'
  return new ServiceError(name, {
    ...(message === undefined ? {} : { message }),
    ...(fields === undefined ? {} : { fields }),
    ...(name === 'conflict' && code !== undefined && { refusal: code }),
  })
}
