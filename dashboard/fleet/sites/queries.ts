import { and, asc, count, desc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import { servers, sites } from '#dashboard/db/schema.ts'
import type { FleetSite, FleetSitesQuery } from '#shared/api/fleet.ts'
import { notFound } from '#shared/errors.ts'

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
  server: servers.name,
  status: sites.status,
  php: sites.php,
  tier: sql`case tier when 'small' then 1 when 'medium' then 2 else 3 end`,
  wp_version: sites.wp_version,
  updates: sql`coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) + coalesce(updates_core, 0)`,
  created_at: sites.created_at,
}

/** One page; ties are in the order of their ids, so that no site is on two pages. */
export async function listFleetSites(
  db: Database,
  query: FleetSitesQuery,
): Promise<{ sites: FleetSite[]; total: number }> {
  const matching = conditions(query)
  const direction = query.order === 'asc' ? asc : desc
  const [rows, [counted]] = await db.read.batch([
    db.read
      .select(siteColumns)
      .from(sites)
      .innerJoin(servers, eq(servers.id, sites.server_id))
      .where(matching)
      .orderBy(direction(SORTS[query.sort]), asc(sites.id))
      .limit(query.per_page)
      .offset((query.page - 1) * query.per_page),
    db.read.select({ total: count() }).from(sites).where(matching),
  ])
  return { sites: rows.map(withUpdates), total: counted?.total ?? 0 }
}

function conditions({ q, server_id, status, tier, php, tls, updates }: FleetSitesQuery) {
  return and(
    q ? matches(q) : undefined,
    server_id === undefined ? undefined : eq(sites.server_id, server_id),
    status === undefined ? undefined : eq(sites.status, status),
    tier === undefined ? undefined : eq(sites.tier, tier),
    php === undefined ? undefined : eq(sites.php, php),
    tls === undefined ? undefined : eq(sites.tls, tls),
    updates === undefined ? undefined : sql`${hasUpdates} = ${updates === 'true' ? 1 : 0}`,
  )
}

/** Part of the domain or of the user, as typed: `instr` knows no wildcards. */
function matches(q: string): SQL | undefined {
  const text = q.toLowerCase()
  return or(sql`instr(${sites.domain}, ${text})`, sql`instr(${sites.user}, ${text})`)
}

export async function getFleetSite(db: Database, id: number) {
  const { docroot, db_name, email, certificate_expires_at, inventory, trashed_at, purge_at } = sites
  const facts = { docroot, db_name, email, certificate_expires_at, inventory }
  const [row] = await db.read
    .select({ ...siteColumns, ...facts, trashed_at, purge_at })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(sites.id, id))
  if (!row) throw notFound('Site')
  return withUpdates(row)
}
