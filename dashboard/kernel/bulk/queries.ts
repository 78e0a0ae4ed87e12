import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  max,
  type SQL,
  sql,
} from 'drizzle-orm'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { BulkRow, NewActivity } from '#dashboard/kernel/db/rows.ts'
import {
  activities,
  bulk_events,
  bulk_items,
  bulk_operations,
} from '#dashboard/kernel/db/schema.ts'
import { isOnVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { chunksOf } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import {
  type BulkItemsQuery,
  type BulkItemView,
  type BulkOperationsQuery,
  BulkOperationView,
  type BulkTarget,
  type SkippedTarget,
} from '#shared/operations/api/bulk-operations.ts'

const MAX_ROWS = 500

/** Inserts a bulk operation with its items, its first event and its activity. */
export async function insertBulk(
  db: Database,
  bulk: BulkRow,
  { targets, skipped }: { targets: readonly BulkTarget[]; skipped: readonly SkippedTarget[] },
  { message, activity }: { message: string; activity: NewActivity },
): Promise<void> {
  const waiting = targets.map((target) => ({ ...target, status: 'waiting' as const }))
  const left = skipped.map((target) => ({ ...target, status: 'skipped' as const }))
  const items = [...waiting, ...left].map((item, at) => ({
    ...item,
    bulk_id: bulk.id,
    position: at + 1,
  }))
  const first = { bulk_id: bulk.id, id: 1, event: 'log' as const }
  await writeAll(db, (queries) => [
    queries.insert(bulk_operations).values(bulk),
    ...[...chunksOf(items, MAX_ROWS)].map((some) => queries.insert(bulk_items).values(some)),
    queries.insert(bulk_events).values({ ...first, data: { message, status: 'running' } }),
    queries.insert(activities).values(activity),
  ])
}

const { actor: _, ...VIEW } = getTableColumns(bulk_operations)

export function findBulk(db: Database, id: string): Promise<BulkRow | undefined> {
  return db.read.select().from(bulk_operations).where(eq(bulk_operations.id, id)).get()
}

/** Returns a bulk operation. Throws 404 when it is unknown. */
export async function getBulkView(db: Database, id: string): Promise<BulkOperationView> {
  const rows = await db.read.select(VIEW).from(bulk_operations).where(eq(bulk_operations.id, id))
  const [view] = await withCounts(db, rows)
  if (!view) throw notFound('Bulk operation')
  return view
}

export async function listBulks(
  db: Database,
  { status, type, active, before, limit }: BulkOperationsQuery,
  visible?: Visible,
): Promise<BulkOperationView[]> {
  const { created_at, finished_at, id } = bulk_operations
  const rows = await db.read
    .select(VIEW)
    .from(bulk_operations)
    .where(
      and(
        status === undefined ? undefined : inArray(bulk_operations.status, status),
        type === undefined ? undefined : eq(bulk_operations.type, type),
        active === undefined ? undefined : (active ? isNull : isNotNull)(finished_at),
        before === undefined ? undefined : isBefore(before),
        isVisibleBulk(visible),
      ),
    )
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
  return withCounts(db, rows)
}

/** The condition for a bulk operation of which every target is visible. */
function isVisibleBulk(visible: Visible | undefined): SQL | undefined {
  const isSeen = isOnVisibleSite(visible, bulk_items)
  return (
    isSeen &&
    sql`not exists (select 1 from bulk_items
    where bulk_items.bulk_id = ${bulk_operations.id} and not coalesce(${isSeen}, false))`
  )
}

function isBefore(seen: string) {
  const { created_at, id } = bulk_operations
  if (seen.includes(':')) return lt(created_at, seen)
  return sql`(${created_at}, ${id}) < (select created_at, id from bulk_operations where id = ${seen})`
}

const NO_COUNTS = {
  total: 0,
  waiting: 0,
  running: 0,
  success: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
}

async function withCounts(db: Database, rows: Omit<BulkRow, 'actor'>[]) {
  const ids = rows.map(({ id }) => id)
  const { bulk_id, status } = bulk_items
  const counted = await db.read
    .select({ bulk_id, status, total: count() })
    .from(bulk_items)
    .where(inArray(bulk_id, ids))
    .groupBy(bulk_id, status)
  return rows.map((row) => {
    const mine = counted.filter((each) => each.bulk_id === row.id)
    const counts = { ...NO_COUNTS }
    for (const each of mine) {
      counts[each.status] = each.total
      counts.total += each.total
    }
    return BulkOperationView.parse({ ...row, counts })
  })
}

export function listBulkItems(
  db: Database,
  id: string,
  { status, after, limit }: BulkItemsQuery,
): Promise<BulkItemView[]> {
  const { bulk_id, ...columns } = getTableColumns(bulk_items)
  const { position } = columns
  return db.read
    .select(columns)
    .from(bulk_items)
    .where(
      and(
        eq(bulk_id, id),
        status === undefined ? undefined : inArray(bulk_items.status, status),
        after === undefined ? undefined : gt(position, after),
      ),
    )
    .orderBy(asc(position))
    .limit(limit)
}

export function listBulkEvents(
  db: Database,
  id: string,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  const { event, data } = bulk_events
  return db.read
    .select({ id: bulk_events.id, event, data })
    .from(bulk_events)
    .where(and(eq(bulk_events.bulk_id, id), gt(bulk_events.id, after)))
    .orderBy(asc(bulk_events.id))
    .limit(limit)
}

/** Returns the number of the last event; 0 before the first. */
export async function lastBulkEventId(db: Database, id: string): Promise<number> {
  const row = await db.read
    .select({ last: max(bulk_events.id) })
    .from(bulk_events)
    .where(eq(bulk_events.bulk_id, id))
    .get()
  return row?.last ?? 0
}
