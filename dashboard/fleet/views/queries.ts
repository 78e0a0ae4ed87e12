import { and, asc, count, desc, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import { operations, servers, sites } from '#dashboard/db/schema.ts'
import type { FleetServer, FleetSite, FleetSitesQuery } from '#shared/api/fleet.ts'
import { notFound } from '#shared/errors.ts'

const hasUpdates = sql<number>`(coalesce(updates_plugins, 0) + coalesce(updates_themes, 0) + coalesce(updates_core, 0) > 0)`
const isUnknown = sql<number>`(framework = 'wordpress' and updates_plugins is null)`

const serverColumns = {
  id: servers.id,
  name: servers.name,
  hostname: servers.hostname,
  port: servers.port,
  user: servers.user,
  tags: servers.tags,
  os: servers.os,
  version: servers.version,
  status: servers.status,
  status_reason: servers.last_error,
  failures: servers.failures,
  sites_count: sql<number>`(select count(*) from sites where sites.server_id = servers.id)`,
  last_sync: servers.last_sync,
  created_at: servers.created_at,
  metrics: servers.metrics,
}

export type FleetServerRow = Omit<FleetServer, 'age'>

export function listFleetServers(
  db: Database,
): Promise<(FleetServerRow & Pick<ServerRow, 'services'>)[]> {
  return db.read
    .select({ ...serverColumns, services: servers.services })
    .from(servers)
    .orderBy(asc(servers.name), asc(servers.id))
}

export async function getFleetServer(db: Database, id: number) {
  const { services, php_versions } = servers
  const [row] = await db.read
    .select({ ...serverColumns, services, php_versions })
    .from(servers)
    .where(eq(servers.id, id))
  if (!row) throw notFound('Server')
  return row
}

/** How many sites there are of each status, of one server or of all. */
export async function countSites(db: Database, server_id?: number) {
  const mine = server_id === undefined ? undefined : eq(sites.server_id, server_id)
  const [byStatus, [updates]] = await db.read.batch([
    db.read
      .select({ status: sites.status, total: count() })
      .from(sites)
      .where(mine)
      .groupBy(sites.status),
    db.read
      .select({
        known: sql<number>`coalesce(sum(${hasUpdates}), 0)`,
        unknown: sql<number>`coalesce(sum(${isUnknown}), 0)`,
      })
      .from(sites)
      .where(mine),
  ])
  return {
    sites: Object.fromEntries(byStatus.map(({ status, total }) => [status, total])),
    updates: updates?.known ?? 0,
    updates_unknown: updates?.unknown ?? 0,
  }
}

/** Those under way, and those that failed since. */
export async function countOperations(db: Database, since: string) {
  const rows = await db.read
    .select({ status: operations.status, total: count() })
    .from(operations)
    .where(
      or(
        inArray(operations.status, ['queued', 'running']),
        and(eq(operations.status, 'failed'), gt(operations.created_at, since)),
      ),
    )
    .groupBy(operations.status)
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]))
}

/** Sites in a state that asks for a person, or with updates: at most `limit` of them. */
export function listNeedySites(
  db: Database,
  kind: 'failed' | 'missing' | 'updates',
  limit: number,
) {
  const { id, server_id, domain, status_reason } = sites
  const wanted =
    kind === 'updates' ? and(eq(sites.status, 'active'), hasUpdates) : eq(sites.status, kind)
  return db.read
    .select({ id, server_id, domain, status_reason })
    .from(sites)
    .where(wanted)
    .orderBy(asc(domain))
    .limit(limit)
}

export const siteColumns = {
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
  created_at: sites.created_at,
}

type SiteColumns = Omit<FleetSite, 'updates'> & {
  updates_plugins: number | null
  updates_themes: number | null
  updates_core: boolean | null
}

/** Null stays null: unknown is not zero. */
export function withUpdates<T extends SiteColumns>(row: T) {
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
  const { docroot, db_name, email, certificate_expires_at, inventory } = sites
  const [row] = await db.read
    .select({ ...siteColumns, docroot, db_name, email, certificate_expires_at, inventory })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(eq(sites.id, id))
  if (!row) throw notFound('Site')
  return withUpdates(row)
}
