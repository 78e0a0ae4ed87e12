import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { bodyOf, type ErrorBody, offline } from '#shared/kernel/errors.ts'

/** Writes a minute of an ISO time for people. */
export const minuteOf = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`

/** Returns the error of a call whose operation was sent, and may be running. */
export function maybeRunningError(
  { id, deadline_at }: Pick<OperationRow, 'id' | 'deadline_at'>,
  error: unknown,
) {
  const until = `the agent is asked for its result until ${minuteOf(deadline_at)}`
  return offline(`${whyOf(error)}. Operation ${id} may be running: ${until}`)
}

/** Returns the failure at the deadline of an operation that its agent may have taken. */
export function resultUnknownError(error: unknown): ErrorBody {
  const why = 'its agent may have done the work, and did not answer before the deadline'
  const message = `${whyOf(error)}. The result is unknown: ${why}`
  return { error: bodyOf(error).error, message, code: 'result_unknown' }
}

function whyOf(error: unknown): string {
  const { error: name, message = name } = bodyOf(error)
  return message
}
