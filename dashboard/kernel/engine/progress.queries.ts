import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { batch, type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { activities, operation_events, operations } from '#dashboard/kernel/db/schema.ts'
import { type ErrorBody, isCancelled } from '#shared/kernel/errors.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { lastEventId } from './events.queries.ts'
import type { RecordChange } from './rules.ts'
import { eventStatements } from './steps.queries.ts'

export async function storeEvents(
  db: Database,
  operation_id: string,
  events: readonly StoredEvent[],
): Promise<void> {
  await db.write((queries) => batch(queries, eventStatements(queries, operation_id, events)))
}

const isActive = inArray(operations.status, ['queued', 'running'])

/**
 * Marks an operation as sent to an agent, which is asked for its result until the deadline. Returns
 * false for one that was cancelled before and must not be sent.
 */
export async function markSent(
  db: Database,
  id: string,
  values: { sent_at: string; deadline_at: string },
): Promise<boolean> {
  const unsent = and(eq(operations.id, id), isNull(operations.sent_at), isNull(operations.cancel))
  const rows = await db.write((queries) =>
    queries
      .update(operations)
      .set(values)
      .where(and(unsent, isActive))
      .returning({ id: operations.id }),
  )
  return rows.length > 0
}

/** Marks an operation that no agent has as unsent: the deadline is the one before it was sent. */
export async function markUnsent(
  db: Database,
  { id, deadline_at }: Pick<OperationRow, 'id' | 'deadline_at'>,
): Promise<void> {
  const unstarted = and(eq(operations.id, id), isNull(operations.started_at))
  await db.write((queries) =>
    queries.update(operations).set({ sent_at: null, deadline_at }).where(and(unstarted, isActive)),
  )
}

/** Marks an operation that the agent has: the deadline now counts from its last answer. */
export async function markRunning(
  db: Database,
  id: string,
  values: { started_at: string; deadline_at: string },
): Promise<void> {
  const { started_at, deadline_at } = values
  await db.write((queries) =>
    queries
      .update(operations)
      .set({
        deadline_at,
        status: 'running',
        started_at: sql`coalesce(started_at, ${started_at})`,
        next_at: null,
        error: null,
      })
      .where(and(eq(operations.id, id), isActive)),
  )
}

/** Marks an operation that is retried at `next_at`; `error` has the reason. */
export async function markWaiting(
  db: Database,
  id: string,
  values: { next_at: string; deadline_at: string; error: ErrorBody },
): Promise<void> {
  await db.write((queries) =>
    queries
      .update(operations)
      .set({ ...values, attempts: sql`attempts + 1` })
      .where(and(eq(operations.id, id), isActive)),
  )
}

/** Stores the waiting as the first event, before those of the agent; false if there is one. */
export async function storeWaiting(db: Database, id: string, message: string): Promise<boolean> {
  if ((await lastEventId(db, id)) > 0) return false
  const event = { operation_id: id, id: 1, event: 'log' as const, data: { message } }
  await writeAll(db, (queries) => [
    queries.insert(operation_events).values(event),
    queries.update(operations).set({ own_events: 1 }).where(eq(operations.id, id)),
  ])
  return true
}

/** Stores a line of the dashboard before the agent gets the operation. */
export async function storeNote(db: Database, id: string, message: string): Promise<void> {
  const event = { operation_id: id, event: 'log' as const, data: { message } }
  const next = (await lastEventId(db, id)) + 1
  await writeAll(db, (queries) => [
    queries.insert(operation_events).values({ ...event, id: next }),
    queries.update(operations).set({ own_events: next }).where(eq(operations.id, id)),
  ])
}

interface OperationEnd {
  operation: OperationRow
  /** The error of the operation; null when it succeeded. */
  error: ErrorBody | null
  warnings: Warning[]
  finished_at: string
  /** The unstored events, the terminal event last. */
  events: readonly StoredEvent[]
  change: RecordChange
}

/** Stores the end. Violates a UNIQUE constraint when there is a terminal event. */
export async function finishOperation(db: Database, finished: OperationEnd): Promise<void> {
  const { operation, error, warnings, finished_at, events, change } = finished
  const status = error === null ? 'success' : 'failed'
  await writeAll(db, (queries) => [
    ...eventStatements(queries, operation.id, events),
    queries
      .update(operations)
      .set({
        status: error && isCancelled(error) ? cancelledOrFailed : status,
        error,
        warnings,
        finished_at,
        next_at: null,
        attempts: sql`attempts + 1`,
      })
      .where(eq(operations.id, operation.id)),
    queries
      .update(activities)
      .set({ status: sql`(select status from operations where id = ${operation.id})` })
      .where(eq(activities.operation_id, operation.id)),
    ...change(queries, operation, finished_at),
  ])
}

const cancelledOrFailed = sql`case when cancel is null then 'failed' else 'cancelled' end`
