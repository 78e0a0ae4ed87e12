import { and, asc, eq, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import { exclusiveWith } from '#dashboard/db/exclusion.ts'
import type { BulkItemRow, BulkRow } from '#dashboard/db/rows.ts'
import { bulk_items } from '#dashboard/db/schema.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import type { OperationType } from '#shared/operation-types/index.ts'

/**
 * The next items that may start: not on these servers, not of a site with a running operation, and
 * no upgrade of an agent that would interrupt another operation.
 */
export function listStartable(
  db: Database,
  { id, type }: BulkRow,
  { excludes, full, limit }: { excludes: Excludes; full: readonly number[]; limit: number },
): Promise<BulkItemRow[]> {
  return db.read
    .select()
    .from(bulk_items)
    .where(
      and(
        eq(bulk_items.bulk_id, id),
        eq(bulk_items.status, 'waiting'),
        notInArray(bulk_items.server_id, [...full]),
        sql`not exists (select 1 from operations where ${holder(type, excludes)} and status in ('queued', 'running'))`,
      ),
    )
    .orderBy(asc(bulk_items.position))
    .limit(limit)
}

type Excludes = OperationRules<OperationType>['excludes']

/** The operations that exclude an item. A sync may be interrupted. */
function holder(type: BulkRow['type'], excludes: Excludes): SQL {
  const here = sql`operations.server_id = ${bulk_items.server_id}`
  const held: Record<Excludes, SQL> = {
    same_site: sql`operations.site_id = ${bulk_items.site_id} and ${sql.raw(exclusiveWith(type))}`,
    same_type: sql`${here} and operations.type = ${type}`,
    all_of_server: sql`${here} and operations.type <> 'server.sync'`,
    nothing: sql`false`,
  }
  return held[excludes]
}
