import { asc, count, desc, eq, inArray, sql } from 'drizzle-orm'
import { healthAt } from '#dashboard/features/health/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'
import type { FleetSiteIdsQuery, FleetSitesQuery } from '#shared/sites/api/site-filters.ts'
import { rowView, siteColumns } from './columns.queries.ts'
import { listCopies } from './copies.queries.ts'
import { conditions } from './filter.queries.ts'
import { plainTotal } from './totals.queries.ts'

/** The worst first; those without any last. */
const byHealth = (now: Date) =>
  sql`case ${healthAt(now)} when 'down' then 1 when 'degraded' then 2 when 'unknown' then 3 when 'up' then 4 else 5 end`

const SORTS = (now: Date) => ({
  id: sites.id,
  domain: sites.domain,
  server: sql`(select name from servers where servers.id = sites.server_id)`,
  status: sites.status,
  php: sites.php,
  tier: sql`case when ${sites.found} then 4 when tier = 'small' then 1 when tier = 'medium' then 2 else 3 end`,
  wp_version: sites.wp_version,
  updates: sql`coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) + coalesce(updates_core, 0)`,
  // Unknown expiry last.
  certificate_expires_at: sql`coalesce(nullif(certificate_expires_at, ''), '~')`,
  created_at: sites.created_at,
  health: byHealth(now),
})

/** Names the index: SQLite would otherwise read whole rows in a half-suitable order. */
export const LISTING = sql`${sites} indexed by sites_listing`

/** The sites by domain: the first page is read without the others. */
const IN_ORDER = sql`${sites} indexed by sites_in_order`

/** Of all filters those whose columns are in that index. */
const PLAIN: readonly string[] = ['status', 'managed', 'staging', 'ignored']
const NO_FILTER: readonly string[] = ['sort', 'order', 'page', 'per_page']

const isPlain = (query: FleetSiteIdsQuery) =>
  query.sort === 'domain' &&
  Object.entries(query).every(
    ([name, value]) => value === undefined || PLAIN.includes(name) || NO_FILTER.includes(name),
  )

async function totalOf(db: Database, query: FleetSiteIdsQuery, now: Date): Promise<number> {
  if (isPlain(query)) return plainTotal(db, query, now)
  const matching = await conditions(db, query, now)
  const [counted] = await db.read.select({ total: count() }).from(LISTING).where(matching)
  return counted?.total ?? 0
}

const NAMED = {
  id: sql<number>`${sites.id}`,
  server_id: sql<number>`${sites.server_id}`,
  domain: sql<string>`${sites.domain}`,
}

/** Ties are ordered by id, so that no site is on two pages. */
const inOrder = ({ sort, order }: FleetSiteIdsQuery, now: Date) => [
  order === 'asc' ? asc(SORTS(now)[sort]) : desc(SORTS(now)[sort]),
  asc(sites.id),
]

/** The index alone selects the sites of a page: rows are long, and only those are read. */
export async function listFleetSites(
  db: Database,
  query: FleetSitesQuery,
  now: Date,
): Promise<{ sites: FleetSite[]; total: number }> {
  const matching = await conditions(db, query, now)
  const page = db.read
    .select({ id: sql<number>`${sites.id}` })
    .from(isPlain(query) ? IN_ORDER : LISTING)
    .where(matching)
    .orderBy(...inOrder(query, now))
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
  const rows = await db.read
    .select(siteColumns)
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(inArray(sites.id, page))
    .orderBy(...inOrder(query, now))
  const total = await totalOf(db, query, now)
  return { sites: rows.map((row) => rowView(row, now)), total }
}

/** All that match, at most `limit` of the `total`. */
export async function listFleetSiteIds(
  db: Database,
  query: FleetSiteIdsQuery,
  { now, limit }: { now: Date; limit: number },
) {
  const matching = await conditions(db, query, now)
  const rows = await db.read
    .select(NAMED)
    .from(LISTING)
    .where(matching)
    .orderBy(...inOrder(query, now))
    .limit(limit)
  return { sites: rows, total: await totalOf(db, query, now) }
}

export async function getFleetSite(db: Database, id: number, now: Date) {
  const { docroot, db_name, database_routines, xmlrpc, email, disk, inventory } = sites
  const { trashed_at, purge_at, closed, unknown } = sites
  const facts = { docroot, db_name, database_routines, xmlrpc, email, disk, inventory }
  const [row] = await db.read
    .select({
      ...{ ...siteColumns, ...facts, trashed_at, purge_at, closed, unknown },
      health_checks: sites.health_checks,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(sites.id, id))
  if (!row) throw notFound('Site')
  const { health_checks, ...site } = row
  const view = rowView(site, now)
  // Checks from before the site became unreachable are outdated.
  const isOld = view.health === null || view.health === 'unknown'
  const copies = await listCopies(db, id)
  return { ...view, ...copies, health_checks: isOld ? [] : (health_checks ?? []) }
}
