import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import { servers, sites } from '#dashboard/db/schema.ts'
import type { FleetSite, FleetSiteIdsQuery, FleetSitesQuery } from '#shared/api/fleet.ts'
import { notFound } from '#shared/errors.ts'

const EXPIRING_MS = 14 * 24 * 3600_000

export const hasUpdates = sql<number>`(coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) + coalesce(updates_core, 0) > 0)`

const siteColumns = {
  id: sites.id,
  server_id: sites.server_id,
  server: servers.name,
  domain: sites.domain,
  user: sites.user,
  php: sites.php,
  tier: sites.tier,
  tls: sites.tls,
  framework: sites.framework,
  wp_version: sites.wp_version,
  status: sites.status,
  status_reason: sites.status_reason,
  managed: sites.managed,
  updates_plugins: sites.updates_plugins,
  updates_themes: sites.updates_themes,
  updates_core: sites.updates_core,
  last_scan: sites.last_scan,
  certificate_expires_at: sites.certificate_expires_at,
  operation_id: sql<string | null>`(
    select id from operations where operations.site_id = sites.id and operations.status in ('queued', 'running'))`,
  created_at: sites.created_at,
}

type SiteColumns = Omit<FleetSite, 'updates'> & {
  updates_plugins: number | null
  updates_themes: number | null
  updates_core: boolean | null
}

/** Null stays null: unknown is not zero. */
function withUpdates<T extends SiteColumns>(row: T) {
  const { updates_plugins: plugins, updates_themes: themes, updates_core: core, ...site } = row
  return { ...site, updates: { plugins, themes, core } }
}

const SORTS = {
  id: sites.id,
  domain: sites.domain,
  server: sql`(select name from servers where servers.id = sites.server_id)`,
  status: sites.status,
  php: sites.php,
  tier: sql`case tier when 'small' then 1 when 'medium' then 2 else 3 end`,
  wp_version: sites.wp_version,
  updates: sql`coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) + coalesce(updates_core, 0)`,
  // What is unknown ends last.
  certificate_expires_at: sql`coalesce(nullif(certificate_expires_at, ''), '~')`,
  created_at: sites.created_at,
}

/** The sites by what they are listed by. Said by name, since SQLite would rather read whole rows in an order that is half right. */
export const LISTING = sql`${sites} indexed by sites_listing`

const NAMED = {
  id: sql<number>`${sites.id}`,
  server_id: sql<number>`${sites.server_id}`,
  domain: sql<string>`${sites.domain}`,
}

/** Ties are in the order of their ids, so that no site is on two pages. */
const inOrder = ({ sort, order }: FleetSiteIdsQuery) => [
  order === 'asc' ? asc(SORTS[sort]) : desc(SORTS[sort]),
  asc(sites.id),
]

/**
 * One page. Which sites it has is decided on the index `sites_listing` alone: the rows themselves
 * are long, and only those of the page are read.
 */
export async function listFleetSites(
  db: Database,
  query: FleetSitesQuery,
  now: Date,
): Promise<{ sites: FleetSite[]; total: number }> {
  const matching = conditions(query, now)
  const page = db.read
    .select({ id: sql<number>`${sites.id}` })
    .from(LISTING)
    .where(matching)
    .orderBy(...inOrder(query))
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
  const [rows, [counted]] = await db.read.batch([
    db.read
      .select(siteColumns)
      .from(sites)
      .innerJoin(servers, eq(servers.id, sites.server_id))
      .where(inArray(sites.id, page))
      .orderBy(...inOrder(query)),
    db.read.select({ total: count() }).from(LISTING).where(matching),
  ])
  return { sites: rows.map(withUpdates), total: counted?.total ?? 0 }
}

/** All that match, at most `limit` of the `total`. */
export async function listFleetSiteIds(
  db: Database,
  query: FleetSiteIdsQuery,
  { now, limit }: { now: Date; limit: number },
) {
  const matching = conditions(query, now)
  const [rows, [counted]] = await db.read.batch([
    db.read
      .select(NAMED)
      .from(LISTING)
      .where(matching)
      .orderBy(...inOrder(query))
      .limit(limit),
    db.read.select({ total: count() }).from(LISTING).where(matching),
  ])
  return { sites: rows, total: counted?.total ?? 0 }
}

function conditions(query: FleetSiteIdsQuery, now: Date) {
  const { q, server_id, tag, status, tier, php, tls, framework } = query
  return and(
    q ? matches(q) : undefined,
    server_id ? eq(sites.server_id, server_id) : undefined,
    tag ? isTagged(tag) : undefined,
    status && inArray(sites.status, status),
    tier && inArray(sites.tier, tier),
    php && inArray(sites.php, php),
    tls && inArray(sites.tls, tls),
    framework && inArray(sites.framework, framework),
    isOrNot(query.updates, hasUpdates),
    isOrNot(query.expiring, isExpiring(now)),
    isOrNot(query.managed, sql`${sites.managed}`),
  )
}

function isOrNot(wanted: boolean | undefined, condition: SQL): SQL | undefined {
  return wanted === undefined ? undefined : sql`(${condition}) = ${wanted ? 1 : 0}`
}

/** Part of the domain or of the user, as typed: `instr` knows no wildcards. */
function matches(q: string): SQL | undefined {
  const text = q.toLowerCase()
  return or(sql`instr(${sites.domain}, ${text})`, sql`instr(${sites.user}, ${text})`)
}

function isTagged(tag: string): SQL {
  return sql`${sites.server_id} in (
    select servers.id from servers, json_each(servers.tags) as tag where tag.value = ${tag})`
}

/** A site in use whose certificate has ended or soon will: by then the agent should have renewed it. */
export function isExpiring(now: Date): SQL {
  const soon = new Date(now.getTime() + EXPIRING_MS).toISOString()
  return sql`${sites.status} in ('active', 'suspended') and ${sites.tls} <> 'none'
    and ${sites.certificate_expires_at} <> '' and ${sites.certificate_expires_at} < ${soon}`
}

export async function getFleetSite(db: Database, id: number) {
  const { docroot, db_name, email, inventory, trashed_at, purge_at } = sites
  const facts = { docroot, db_name, email, inventory }
  const [row] = await db.read
    .select({ ...siteColumns, ...facts, trashed_at, purge_at })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(sites.id, id))
  if (!row) throw notFound('Site')
  return withUpdates(row)
}
