import { and, asc, eq, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { excludesOf, exclusiveWith } from '#dashboard/kernel/db/exclusion.ts'
import type { BulkItemRow, BulkRow } from '#dashboard/kernel/db/rows.ts'
import { bulk_items } from '#dashboard/kernel/db/schema.ts'
import type { Exclusion } from '#shared/kernel/values.ts'

/**
 * Lists the next items that may start: not on these servers, not of a site with a running
 * operation, and no upgrade of an agent that would interrupt another operation.
 */
export function listStartable(
  db: Database,
  { id, type }: BulkRow,
  { full, limit }: { full: readonly number[]; limit: number },
): Promise<BulkItemRow[]> {
  return db.read
    .select()
    .from(bulk_items)
    .where(
      and(
        eq(bulk_items.bulk_id, id),
        eq(bulk_items.status, 'waiting'),
        notInArray(bulk_items.server_id, [...full]),
        sql`not exists (select 1 from operations where ${activeHolder(type)} and status in ('queued', 'running'))`,
      ),
    )
    .orderBy(asc(bulk_items.position))
    .limit(limit)
}

/** The condition for the operations that exclude an item. A sync may be interrupted. */
function activeHolder(type: BulkRow['type']): SQL {
  const here = sql`operations.server_id = ${bulk_items.server_id}`
  const ofSite = sql`operations.site_id = ${bulk_items.site_id} and ${sql.raw(exclusiveWith(type))}`
  const held: Record<Exclusion, SQL> = {
    same_site: ofSite,
    same_site_except_backup: ofSite,
    changes_of_site: ofSite,
    same_type: sql`${here} and operations.type = ${type}`,
    all_of_server: sql`${here} and operations.type <> 'server.sync'`,
    nothing: sql`false`,
  }
  return held[excludesOf(type)]
}
