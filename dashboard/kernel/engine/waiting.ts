import type { Base } from '#dashboard/kernel/db/base.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { bodyOf } from '#shared/kernel/errors.ts'
import { storeWaiting } from './progress.queries.ts'
import { minuteOf } from './unanswered.ts'

type Deps = Pick<Base, 'db' | 'bus' | 'clock' | 'notice_ms'>

/** Stores one line with reason and deadline when an agent is not reached for some seconds. */
export async function recordWaiting(
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
