import { and, asc, eq, gt, inArray, isNull, max, ne, sql } from 'drizzle-orm'
import { batch, type Database, type Queries, type Statement } from '#dashboard/db/client.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { activities, operation_events, operations, servers, sites } from '#dashboard/db/schema.ts'
import type { ErrorBody } from '#shared/errors.ts'
import type { StoredEvent } from '#shared/sse.ts'
import { type Effect, isCancelled } from '../effects.ts'

export function listEvents(
  db: Database,
  operation_id: string,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  const { id, event, data } = operation_events
  return db.read
    .select({ id, event, data })
    .from(operation_events)
    .where(and(eq(operation_events.operation_id, operation_id), gt(id, after)))
    .orderBy(asc(id))
    .limit(limit)
}

/** 0 before the first. */
export async function lastEventId(db: Database, operation_id: string): Promise<number> {
  const [row] = await db.read
    .select({ last: max(operation_events.id) })
    .from(operation_events)
    .where(eq(operation_events.operation_id, operation_id))
  return row?.last ?? 0
}

/** The terminal event; undefined before it, and once it is past its age. */
export async function findEnd(
  db: Database,
  operation_id: string,
): Promise<StoredEvent | undefined> {
  const { id, event, data } = operation_events
  const [row] = await db.read
    .select({ id, event, data })
    .from(operation_events)
    .where(and(eq(operation_events.operation_id, operation_id), ne(event, 'log')))
  return row
}

export async function storeEvents(
  db: Database,
  operation_id: string,
  events: readonly StoredEvent[],
): Promise<void> {
  const rows = events.map((event) => ({ operation_id, ...event }))
  if (rows.length > 0) await db.write((queries) => queries.insert(operation_events).values(rows))
}

const isActive = inArray(operations.status, ['queued', 'running'])

/**
 * From here on an agent may know of it. False for one that is not to be sent any more: its end was
 * asked for before, so that it can end as if it had never been.
 */
export async function markSent(db: Database, id: string, sent_at: string): Promise<boolean> {
  const unsent = and(eq(operations.id, id), isNull(operations.sent_at), isNull(operations.cancel))
  const rows = await db.write((queries) =>
    queries
      .update(operations)
      .set({ sent_at })
      .where(and(unsent, isActive))
      .returning({ id: operations.id }),
  )
  return rows.length > 0
}

/** Nothing was there that could have heard of it. */
export async function markUnsent(db: Database, id: string): Promise<void> {
  const unheard = and(eq(operations.id, id), isNull(operations.started_at))
  await db.write((queries) =>
    queries.update(operations).set({ sent_at: null }).where(and(unheard, isActive)),
  )
}

/** The agent has it: from here on the deadline counts from the last time it was heard of. */
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

/** It could not be delivered and is tried again at `next_at`; `error` says what stood in the way. */
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

interface Finished {
  operation: OperationRow
  /** Null for a success. */
  error: ErrorBody | null
  finished_at: string
  /** What was not stored yet; the terminal event is the last. */
  events: readonly StoredEvent[]
  effect: Effect
}

/**
 * Outcome, last events, activity and what it changed: all in one batch, or not at all. Violates a
 * UNIQUE constraint when the operation has its terminal event already.
 */
export async function finishOperation(db: Database, finished: Finished): Promise<void> {
  const { operation, error, finished_at, events, effect } = finished
  const status = error === null ? 'success' : 'failed'
  const rows = events.map((event) => ({ operation_id: operation.id, ...event }))
  await db.write((queries) =>
    batch(queries, [
      queries.insert(operation_events).values(rows),
      queries
        .update(operations)
        .set({
          status: error && isCancelled(error) ? cancelledOrFailed : status,
          error,
          finished_at,
          next_at: null,
          attempts: sql`attempts + 1`,
        })
        .where(eq(operations.id, operation.id)),
      queries.update(activities).set({ status }).where(eq(activities.operation_id, operation.id)),
      ...effectStatements(queries, operation, effect),
    ]),
  )
}

const cancelledOrFailed = sql`case when cancel is null then 'failed' else 'cancelled' end`

function effectStatements(queries: Queries, operation: OperationRow, effect: Effect): Statement[] {
  const statements: Statement[] = []
  if (effect.server)
    statements.push(
      queries.update(servers).set(effect.server).where(eq(servers.id, operation.server_id)),
    )
  if (operation.site_id === null) return statements
  const mine = eq(sites.id, operation.site_id)
  if (effect.site) statements.push(queries.update(sites).set(effect.site).where(mine))
  if (effect.remove_site) statements.push(queries.delete(sites).where(mine))
  if (effect.restore_site !== undefined)
    statements.push(
      queries
        .update(sites)
        .set({
          status: sql`coalesce(former_status, 'failed')`,
          former_status: null,
          status_reason: effect.restore_site,
        })
        .where(mine),
    )
  return statements
}
