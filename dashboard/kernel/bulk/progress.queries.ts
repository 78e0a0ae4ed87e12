import { and, asc, count, desc, eq, inArray, lte, sql } from 'drizzle-orm'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { BulkItemRow, BulkRow, OperationRow } from '#dashboard/kernel/db/rows.ts'
import {
  activities,
  bulk_events,
  bulk_items,
  bulk_operations,
  operations,
} from '#dashboard/kernel/db/schema.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { NumberedEvent } from '#shared/kernel/sse.ts'
import { lastBulkEventId } from './queries.ts'

/** A started item and its operation; null when that was deleted with its server. */
export interface StartedItem {
  item: BulkItemRow
  operation: Pick<OperationRow, 'id' | 'status' | 'error' | 'cancel' | 'finished_at'> | null
}

/** The state of a bulk operation; `last` was read first, to notice a concurrent change. */
export interface BulkState {
  last: number
  bulk: BulkRow
  started: StartedItem[]
  counts: Record<BulkItemRow['status'], number>
}

export async function readBulkState(db: Database, id: string): Promise<BulkState | undefined> {
  const last = await lastBulkEventId(db, id)
  const bulk = await db.read.select().from(bulk_operations).where(eq(bulk_operations.id, id)).get()
  if (!bulk) return undefined
  const counts = await countItems(db, id)
  return { last, bulk, started: await listStarted(db, id), counts }
}

async function countItems(db: Database, id: string): Promise<BulkState['counts']> {
  const { bulk_id, status } = bulk_items
  const rows = await db.read
    .select({ status, total: count() })
    .from(bulk_items)
    .where(eq(bulk_id, id))
    .groupBy(status)
  const none = { waiting: 0, running: 0, success: 0, failed: 0, cancelled: 0, skipped: 0 }
  return { ...none, ...Object.fromEntries(rows.map((row) => [row.status, row.total])) }
}

/** Lists the started items in the order of their ends, running ones last. */
function listStarted(db: Database, id: string): Promise<StartedItem[]> {
  const { status, error, cancel, finished_at } = operations
  return db.read
    .select({
      item: bulk_items,
      operation: { id: operations.id, status, error, cancel, finished_at },
    })
    .from(bulk_items)
    .leftJoin(operations, eq(operations.id, bulk_items.operation_id))
    .where(and(eq(bulk_items.bulk_id, id), eq(bulk_items.status, 'running')))
    .orderBy(sql`finished_at is null`, asc(finished_at), asc(bulk_items.position))
}

export async function listUnfinishedBulks(db: Database): Promise<string[]> {
  const rows = await db.read
    .select({ id: bulk_operations.id })
    .from(bulk_operations)
    .where(sql`finished_at is null`)
    .orderBy(asc(bulk_operations.created_at))
  return rows.map(({ id }) => id)
}

type NewBulkEvent = Omit<NumberedEvent, 'id'>

/** Changes records and stores events, numbered after `last`; false after another change. */
export async function applyBulkChange(
  db: Database,
  { bulk, last }: Pick<BulkState, 'bulk' | 'last'>,
  events: readonly NewBulkEvent[],
  change: (queries: Queries) => Statement[],
): Promise<boolean> {
  const rows = events.map((event, at) => ({ ...event, bulk_id: bulk.id, id: last + 1 + at }))
  try {
    await writeAll(db, (queries) => [queries.insert(bulk_events).values(rows), ...change(queries)])
    return true
  } catch (error) {
    if (violatesUnique(error, 'bulk_events.')) return false
    throw error
  }
}

export function itemStatement(
  queries: Queries,
  { bulk_id, position }: Pick<BulkItemRow, 'bulk_id' | 'position'>,
  values: Partial<Pick<BulkItemRow, 'status' | 'operation_id' | 'error'>>,
): Statement {
  const mine = and(eq(bulk_items.bulk_id, bulk_id), eq(bulk_items.position, position))
  return queries.update(bulk_items).set(values).where(mine)
}

export function bulkStatement(
  queries: Queries,
  id: string,
  values: Partial<Pick<BulkRow, 'status' | 'reason' | 'finished_at'>>,
): Statement {
  return queries.update(bulk_operations).set(values).where(eq(bulk_operations.id, id))
}

type BulkEnd = 'success' | 'failed' | 'cancelled'

export function activityEnd(queries: Queries, id: string, status: BulkEnd): Statement {
  return queries.update(activities).set({ status }).where(eq(activities.operation_id, id))
}

export function cancelWaitingItems(queries: Queries, id: string): Statement {
  const waiting = and(eq(bulk_items.bulk_id, id), eq(bulk_items.status, 'waiting'))
  return queries.update(bulk_items).set({ status: 'cancelled' }).where(waiting)
}

export function listUnsuccessful(db: Database, id: string): Promise<BulkItemRow[]> {
  const { bulk_id, status, position } = bulk_items
  return db.read
    .select()
    .from(bulk_items)
    .where(and(eq(bulk_id, id), inArray(status, ['failed', 'cancelled'])))
    .orderBy(asc(position))
}

const PAGE_SIZE = 100

/** Counts the failed items up to the event `last` since a success, start or resumption. */
export async function failuresInRow(
  db: Database,
  { bulk, last }: Pick<BulkState, 'bulk' | 'last'>,
): Promise<number> {
  let failures = 0
  for await (const { position, status } of newestFirst(db, bulk.id, last)) {
    const begins = position === undefined && status === 'running'
    if (begins || status === 'success') break
    if (status === 'failed') failures++
  }
  return failures
}

async function* newestFirst(db: Database, id: string, last: number) {
  for (let before: number | undefined = last; before !== undefined; ) {
    const page: { id: number; data: Record<string, unknown> }[] = await db.read
      .select({ id: bulk_events.id, data: bulk_events.data })
      .from(bulk_events)
      .where(and(eq(bulk_events.bulk_id, id), lte(bulk_events.id, before)))
      .orderBy(desc(bulk_events.id))
      .limit(PAGE_SIZE)
    for (const { data } of page) yield data
    const oldest = page.at(-1)
    before = oldest && oldest.id - 1
  }
}
