import type { Allowance } from '#dashboard/agents/output-limits.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { type ErrorBody, errorNameOf, ServiceError } from '#shared/errors.ts'

export type Outcome =
  | { status: 'success'; data: Record<string, unknown> }
  | { status: 'failed'; error: ErrorBody }

/** An operation that runs in this process. Both promises may be ignored. */
export interface Job {
  operation_id: string
  /**
   * Resolves when the work has started; rejects with the reason of a failure, or when the call may
   * have been taken and its caller does not wait for an agent.
   */
  accepted: Promise<void>
  /** Resolves with the outcome; rejects only when this process stops. */
  finished: Promise<Outcome>
}

export interface RunContext {
  signal: AbortSignal
  allowance: Allowance
  accept(): void
}

/** Runs one type of operation. Throws a ServiceError: `offline` is retried, others are final. */
export type Executor = (operation: OperationRow, context: RunContext) => Promise<Outcome>

/** The error of a stored body. */
export function errorOf(body: ErrorBody): ServiceError {
  const { message, fields } = body
  return new ServiceError(errorNameOf(body) ?? 'internal', {
    ...(message === undefined ? {} : { message }),
    ...(fields === undefined ? {} : { fields }),
  })
}
