import { type SQL, sql } from 'drizzle-orm'
import { HEALTH_COLUMNS } from '#dashboard/features/health/queries.ts'
import { type HealthColumns, healthOf } from '#dashboard/features/health/site-health.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { jsonOf } from '#dashboard/kernel/db/json-of.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'

type Tier = FleetSite['tier']

const MAX_OTHERS = 10

/** Selects the other servers of a name; `apex` is that of the site itself, or an unused one. */
const otherServersOf = (apex: SQL, server_id: SQL) =>
  jsonOf<FleetSite['also_on']>(sql`(
    select json_group_array(json_object('site_id', id, 'server_id', server_id, 'server', name)) from (
      select other.id, other.server_id, home.name from sites as other
      join servers as home on home.id = other.server_id
      where other.apex = ${apex} and other.server_id <> ${server_id}
        and other.ignored_at is null
      order by other.id limit ${MAX_OTHERS}))`)

export const siteColumns = {
  id: sites.id,
  server_id: sites.server_id,
  server: servers.name,
  domain: sites.domain,
  user: sites.user,
  php: sites.php,
  tier: sql<Tier | null>`case when ${sites.found} then null else ${sites.tier} end`,
  tls: sites.tls,
  framework: sites.framework,
  wp_version: sites.wp_version,
  status: sites.status,
  status_reason: sites.status_reason,
  managed: sites.managed,
  found: sites.found,
  ignored: sql<boolean>`${sites.ignored_at} is not null`.mapWith(Boolean),
  staging: sites.staging,
  also_on: otherServersOf(sql`${sites.apex}`, sql`${sites.server_id}`),
  updates_plugins: sites.updates_plugins,
  updates_themes: sites.updates_themes,
  updates_core: sites.updates_core,
  last_scan: sites.last_scan,
  ...HEALTH_COLUMNS,
  certificate_expires_at: sites.certificate_expires_at,
  disk_bytes: sql<
    number | null
  >`(${sites.disk} ->> 'bytes' + coalesce(${sites.disk} ->> 'database_bytes', 0))`,
  operation_id: sql<string | null>`(
    select id from operations where operations.site_id = sites.id and operations.status in ('queued', 'running'))`,
  created_at: sites.created_at,
}

type SiteColumns = Omit<FleetSite, 'updates' | 'health_since'> &
  HealthColumns & {
    updates_plugins: number | null
    updates_themes: number | null
    updates_core: boolean | null
  }

/** Returns the view of a site row; null values stay null, because unknown is not zero. */
export function rowView<T extends SiteColumns>(row: T, now: Date) {
  const { updates_plugins: plugins, updates_themes: themes, updates_core: core, ...more } = row
  const { server_status: _, server_error: __, last_sync: ___, metrics_at: ____, ...site } = more
  return { ...site, ...healthOf(row, now), updates: { plugins, themes, core } }
}

export async function listOthers(
  db: Database,
  { domain, server_id }: { domain: string; server_id: number },
): Promise<FleetSite['also_on']> {
  const others = otherServersOf(sql`${apexOf(domain)}`, sql`${server_id}`)
  const [row] = await db.read.select({ others }).from(sql`(select 1)`)
  return row?.others ?? []
}
