import { and, asc, eq, inArray, lte, ne, sql } from 'drizzle-orm'
import { isYounger } from '#dashboard/kernel/db/age.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import type { TrashEntry } from '#shared/sites/api/sites.ts'

/** Lists the trash, the next purge first, in parts, so that other calls run. */
export async function listTrash(db: Database, visible?: Visible): Promise<TrashEntry[]> {
  const ids = await db.read
    .select({ id: sites.id })
    .from(sites)
    .where(and(sql`trashed_at is not null`, isVisibleSite(visible)))
    .orderBy(...inOrder)
  const found: TrashEntry[] = []
  for (const some of chunksOf(ids, PAGE)) {
    const page = some.map(({ id }) => id)
    found.push(...(await readEntries(db, page)))
    await yieldToEventLoop()
  }
  return found
}

const PAGE = 500
const inOrder = [asc(sites.purge_at), asc(sites.id)]

function readEntries(db: Database, ids: readonly number[]): Promise<TrashEntry[]> {
  return db.read
    .select({
      id: sites.id,
      domain: sites.domain,
      server_id: sites.server_id,
      server: servers.name,
      status: sites.status,
      status_reason: sites.status_reason,
      trashed_at: sites.trashed_at,
      purge_at: sites.purge_at,
      size: sites.trash_size,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(and(inArray(sites.id, [...ids]), sql`trashed_at is not null`))
    .orderBy(...inOrder)
}

/**
 * Lists the sites past their time by both records, on servers that are not offline, without a
 * failed purge within `retry_ms`. What is of unknown age stays.
 */
export function listDue(
  db: Database,
  now: Date,
  { trash_ms, retry_ms, limit }: { trash_ms: number; retry_ms: number; limit: number },
) {
  const failed = sql`exists (select 1 from operations where operations.site_id = ${sites.id}
    and operations.type = 'site.purge' and ${isYounger(operations.created_at, retry_ms, now)})`
  return db.read
    .select({ site: sites, server: servers })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(
      and(
        eq(sites.status, 'trashed'),
        ne(servers.status, 'offline'),
        lte(sites.purge_at, now.toISOString()),
        lte(sites.trashed_at, new Date(now.getTime() - trash_ms).toISOString()),
        sql`not ${failed}`,
      ),
    )
    .orderBy(asc(sites.purge_at))
    .limit(limit)
}
