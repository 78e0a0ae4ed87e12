import { and, asc, count, desc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import { healthAt } from '#dashboard/features/health/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_copies } from '#dashboard/kernel/db/copies-schema.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { isOnServers, SITES_BY_SERVER } from '#dashboard/kernel/db/server-sites.ts'
import { isSingleSite, isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import { partsOf, type Visible } from '#dashboard/kernel/http/visible.ts'
import type { SiteCopy } from '#shared/copies/api/copies.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'
import type { FleetSiteIdsQuery, FleetSitesQuery } from '#shared/sites/api/site-filters.ts'
import { cachedParts } from './cached-parts.ts'
import { rowView, siteColumns } from './columns.queries.ts'
import { conditions, type SeenBy } from './filter.queries.ts'
import { listVersions } from './versions.queries.ts'

/** The order by health, the worst first; those without any come last. */
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

/** The sites by a named index: SQLite would read whole rows in a half-suitable order. */
export const LISTING_INDEX = sql`${sites} indexed by sites_listing`

/** The sites by domain: the first page is read without the others. */
const ORDER_INDEX = sql`${sites} indexed by sites_in_order`

/** The names of the filters whose columns are in the index of `ORDER_INDEX`. */
const INDEXED_FILTERS: readonly string[] = ['status', 'managed', 'staging', 'ignored']
const OTHER_FIELDS: readonly string[] = ['sort', 'order', 'page', 'per_page', 'visible']

const isIndexed = (query: SeenBy<FleetSiteIdsQuery>) =>
  query.sort === 'domain' &&
  Object.entries(query).every(
    ([name, value]) =>
      value === undefined || INDEXED_FILTERS.includes(name) || OTHER_FIELDS.includes(name),
  )

async function totalOf(db: Database, query: SeenBy<FleetSiteIdsQuery>, now: Date): Promise<number> {
  if (isIndexed(query)) return indexedTotal(db, query, now)
  const matching = await conditions(db, query, now)
  const [counted] = await db.read.select({ total: count() }).from(LISTING_INDEX).where(matching)
  return counted?.total ?? 0
}

const ID_COLUMNS = {
  id: sql<number>`${sites.id}`,
  server_id: sql<number>`${sites.server_id}`,
  domain: sql<string>`${sites.domain}`,
}

/** Orders the sites by id where they are equal, so that none is on two pages. */
const orderOf = ({ sort, order }: FleetSiteIdsQuery, now: Date) => [
  order === 'asc' ? asc(SORTS(now)[sort]) : desc(SORTS(now)[sort]),
  asc(sites.id),
]

/** Lists a page of sites. The index alone selects them: rows are long, and only those are read. */
export async function listFleetSites(
  db: Database,
  query: SeenBy<FleetSitesQuery>,
  now: Date,
): Promise<{ sites: FleetSite[]; total: number }> {
  const matching = await conditions(db, query, now)
  const page = db.read
    .select({ id: sql<number>`${sites.id}` })
    .from(isIndexed(query) ? ORDER_INDEX : LISTING_INDEX)
    .where(matching)
    .orderBy(...orderOf(query, now))
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
  const rows = await db.read
    .select(siteColumns)
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(inArray(sites.id, page))
    .orderBy(...orderOf(query, now))
  const total = await totalOf(db, query, now)
  return { sites: rows.map((row) => rowView(row, now)), total }
}

/** Lists the ids of all that match, at most `limit` of the `total`. */
export async function listFleetSiteIds(
  db: Database,
  query: SeenBy<FleetSiteIdsQuery>,
  { now, limit }: { now: Date; limit: number },
) {
  const matching = await conditions(db, query, now)
  const rows = await db.read
    .select(ID_COLUMNS)
    .from(LISTING_INDEX)
    .where(matching)
    .orderBy(...orderOf(query, now))
    .limit(limit)
  return { sites: rows, total: await totalOf(db, query, now) }
}

/** Returns a site; `visible` limits the copies that it names. Throws 404 for a missing one. */
export async function getFleetSite(db: Database, id: number, now: Date, visible?: Visible) {
  const { docroot, db_name, database_routines, xmlrpc, email, disk, inventory } = sites
  const { trashed_at, purge_at, closed, unknown } = sites
  const { status, os, php_versions, last_sync } = servers
  const facts = { docroot, db_name, database_routines, xmlrpc, email, disk, inventory }
  const [row] = await db.read
    .select({
      ...siteColumns,
      ...facts,
      trashed_at,
      purge_at,
      closed,
      unknown,
      health_checks: sites.health_checks,
      server_state: { status, os, php_versions, last_sync },
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(sites.id, id))
  if (!row) throw notFound('Site')
  const { health_checks, ...site } = row
  const view = rowView(site, now)
  // Checks from before the site became unreachable are outdated.
  const isOld = view.health === null || view.health === 'unknown'
  const copies = await listCopies(db, id, visible)
  return { ...view, ...copies, health_checks: isOld ? [] : (health_checks ?? []) }
}

const MAX_COPIES = 50

/** Lists the site that a site was copied from, and its own copies, newest first. */
async function listCopies(
  db: Database,
  id: number,
  visible: Visible | undefined,
): Promise<{ copy_of: SiteCopy | null; copies: SiteCopy[] }> {
  const { site_id, original_id } = site_copies
  const [[copy_of = null], copies] = await db.read.batch([
    selectSites(db)
      .innerJoin(site_copies, eq(original_id, sites.id))
      .where(and(eq(site_id, id), isVisibleSite(visible))),
    selectSites(db)
      .innerJoin(site_copies, eq(site_id, sites.id))
      .where(and(eq(original_id, id), ne(sites.status, 'trashed'), isVisibleSite(visible)))
      .orderBy(desc(sites.id))
      .limit(MAX_COPIES),
  ])
  return { copy_of, copies }
}

const selectSites = (db: Database) =>
  db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      server: servers.name,
      domain: sites.domain,
      tls: sites.tls,
      status: sites.status,
      staging: sites.staging,
      created_at: sites.created_at,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))

/** The filters of the default list. */
type IndexedFilters = Pick<FleetSiteIdsQuery, 'status' | 'managed' | 'staging' | 'ignored'>

/** Sites of one server that these filters do not distinguish. */
interface SiteTotal extends Pick<SiteRow, 'status' | 'managed' | 'staging'> {
  ignored: boolean
  total: number
}

/** Counts the sites that the filters match. Only those of changed servers are counted again. */
async function indexedTotal(
  db: Database,
  query: SeenBy<IndexedFilters>,
  now: Date,
): Promise<number> {
  const { visible } = query
  const { sites: versions } = await listVersions(db)
  const ofServers = await listTotals(db, versions, { now, context: undefined })
  const totals = visible
    ? partsOf(visible, ofServers, await readTotals(db, isSingleSite(visible)))
    : ofServers
  let sum = 0
  for (const own of totals.values())
    for (const each of own) if (matchesFilters(each, query)) sum += each.total
  return sum
}

function matchesFilters(
  of: SiteTotal,
  { status, managed, staging, ignored = false }: IndexedFilters,
): boolean {
  return (
    (status?.includes(of.status) ?? true) &&
    of.managed === (managed ?? of.managed) &&
    of.staging === (staging ?? of.staging) &&
    of.ignored === ignored
  )
}

const listTotals = cachedParts(async (db, server_ids) => {
  const found = await readTotals(db, isOnServers(server_ids))
  return new Map(server_ids.map((id) => [id, found.get(id) ?? []]))
})

/** Counts the matching sites of each server. */
async function readTotals(db: Database, which: SQL): Promise<ReadonlyMap<number, SiteTotal[]>> {
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
    .from(SITES_BY_SERVER)
    .where(which)
    .groupBy(sites.server_id, sites.status, sites.managed, sites.staging, sql`ignored`)
  const totals = new Map<number, SiteTotal[]>()
  for (const { server_id, ...total } of rows)
    totals.set(server_id, [...(totals.get(server_id) ?? []), total])
  return totals
}
