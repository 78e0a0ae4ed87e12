import { and, asc, eq, gt, max, ne, sql } from 'drizzle-orm'
import type { StoredOutput } from '#dashboard/kernel/agents/output-limits.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import { operation_events } from '#dashboard/kernel/db/schema.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'

const events = preparedQuery((read) => {
  const { id, event, data, operation_id } = operation_events
  return read
    .select({ id, event, data })
    .from(operation_events)
    .where(and(eq(operation_id, sql.placeholder('operation_id')), gt(id, sql.placeholder('after'))))
    .orderBy(asc(id))
    .limit(sql.placeholder('limit'))
    .prepare()
})

export function listEvents(
  db: Database,
  operation_id: string,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  return events(db).all({ operation_id, after, limit })
}

/** Returns the number of the last event; 0 before the first. */
export async function lastEventId(db: Database, operation_id: string): Promise<number> {
  const row = await db.read
    .select({ last: max(operation_events.id) })
    .from(operation_events)
    .where(eq(operation_events.operation_id, operation_id))
    .get()
  return row?.last ?? 0
}

const stored = preparedQuery((read) => {
  const id = sql.placeholder('operation_id')
  return read
    .select({
      last: sql<number>`coalesce(max(id), 0)`,
      bytes: sql<number>`coalesce(sum(length(cast(data as blob))), 0)`,
      cut: sql<number>`coalesce((select output_full from operations where id = ${id}), 0)`,
      own: sql<number>`coalesce((select own_events from operations where id = ${id}), 0)`,
    })
    .from(operation_events)
    .where(eq(operation_events.operation_id, id))
    .prepare()
})

export async function readStored(db: Database, operation_id: string): Promise<StoredOutput> {
  const row = await stored(db).get({ operation_id })
  const { last, bytes, cut, own } = row ?? { last: 0, bytes: 0, cut: 0, own: 0 }
  return { last, bytes, cut: cut === 1, own }
}

/** Returns the terminal event; undefined before it, and after it expired. */
export function findEnd(db: Database, operation_id: string): Promise<StoredEvent | undefined> {
  const { id, event, data } = operation_events
  return db.read
    .select({ id, event, data })
    .from(operation_events)
    .where(and(eq(operation_events.operation_id, operation_id), ne(event, 'log')))
    .get()
}
