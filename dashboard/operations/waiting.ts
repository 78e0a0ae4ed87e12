import type { Base } from '#dashboard/db/base.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { bodyOf } from '#shared/errors.ts'
import { storeWaiting } from './progress.queries.ts'

type Deps = Pick<Base, 'db' | 'bus' | 'clock' | 'notice_ms'>

/** Stores one line with reason and deadline when an agent is not reached for some seconds. */
export async function recordWaiting(
  { db, bus, clock, notice_ms }: Deps,
  { id, created_at, started_at, deadline_at }: OperationRow,
  error: unknown,
): Promise<void> {
  const waited = clock.now().getTime() - Date.parse(created_at)
  if (started_at !== null || waited < notice_ms) return
  if (await storeWaiting(db, id, waitingMessage(error, deadline_at))) bus.notify(id)
}

function waitingMessage(error: unknown, deadline_at: string): string {
  const { message, error: name } = bodyOf(error)
  const until = `${deadline_at.slice(0, 16).replace('T', ' ')} UTC`
  return `Waiting for the server until ${until}, then this fails. ${message ?? name}`
}
