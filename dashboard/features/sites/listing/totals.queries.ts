import { sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { BY_SERVER, isOf } from '#dashboard/kernel/db/of-servers.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { FleetSiteIdsQuery } from '#shared/sites/api/site-filters.ts'
import { keptParts } from './kept-parts.ts'
import { listVersions } from './versions.queries.ts'

/** The filters of the usual list. */
type Plain = Pick<FleetSiteIdsQuery, 'status' | 'managed' | 'staging' | 'ignored'>

/** Sites of one server that these filters do not distinguish. */
interface Total extends Pick<SiteRow, 'status' | 'managed' | 'staging'> {
  ignored: boolean
  total: number
}

/** How many sites the filters match. Only those of changed servers are counted again. */
export async function plainTotal(db: Database, query: Plain, now: Date): Promise<number> {
  const { sites: versions } = await listVersions(db)
  const totals = await listTotals(db, versions, { now, context: undefined })
  let sum = 0
  for (const own of totals.values())
    for (const each of own) if (matches(each, query)) sum += each.total
  return sum
}

function matches(of: Total, { status, managed, staging, ignored = false }: Plain): boolean {
  return (
    (status?.includes(of.status) ?? true) &&
    of.managed === (managed ?? of.managed) &&
    of.staging === (staging ?? of.staging) &&
    of.ignored === ignored
  )
}

const listTotals = keptParts(readTotals)

async function readTotals(
  db: Database,
  server_ids: readonly number[],
): Promise<ReadonlyMap<number, Total[]>> {
  const isIgnored = sql<boolean>`${sites.ignored_at} is not null`.mapWith(Boolean)
  const rows = await db.read
    .select({
      server_id: sql<number>`${sites.server_id}`,
      status: sql<SiteRow['status']>`${sites.status}`,
      managed: sql<boolean>`${sites.managed}`.mapWith(Boolean),
      staging: sql<boolean>`${sites.staging}`.mapWith(Boolean),
      ignored: isIgnored.as('ignored'),
      total: sql<number>`count(*)`,
    })
    .from(BY_SERVER)
    .where(isOf(server_ids))
    .groupBy(sites.server_id, sites.status, sites.managed, sites.staging, sql`ignored`)
  const totals = new Map<number, Total[]>(server_ids.map((id) => [id, []]))
  for (const { server_id, ...total } of rows) totals.get(server_id)?.push(total)
  return totals
}
