import { type SQL, sql } from 'drizzle-orm'
import { isYounger } from '#dashboard/db/age.ts'
import type { Database } from '#dashboard/db/client.ts'
import { servers, sites } from '#dashboard/db/schema.ts'
import { piecesOf } from '#dashboard/runtime/breathe.ts'
import type { SiteHealth } from '#shared/agent.ts'
import type { HealthState } from '#shared/values.ts'
import { FRESH_MS } from './of-site.ts'

const PIECE = 200

/** The state of a site as in `healthOf`, on columns of the index `sites_listing`. */
export function healthAt(now: Date): SQL<HealthState | null> {
  return sql<HealthState | null>`case
    when ${sites.status} <> 'active' or (${sites.found} and ${sites.health} is null) then null
    when ${sites.server_id} in (
      select id from servers where servers.status <> 'online' or not ${isYounger(sql`metrics_at`, FRESH_MS, now)})
    then 'unknown'
    else coalesce(${sites.health}, 'unknown') end`
}

/** For a select of sites joined with their servers. */
export const HEALTH_COLUMNS = {
  health: sites.health,
  health_code: sites.health_code,
  health_reason: sites.health_reason,
  health_since: sites.health_since,
  server_status: servers.status,
  server_error: servers.last_error,
  last_sync: servers.last_sync,
  metrics_at: servers.metrics_at,
}

/** Stores a report by domain; a state keeps its start time. Returns the number of changed sites. */
export async function storeHealth(
  db: Database,
  server_id: number,
  found: readonly SiteHealth[],
  now: string,
): Promise<number> {
  let changed = 0
  for (const some of piecesOf(found, PIECE)) {
    const rows = some.map(({ domain, state, code, reason, checks }) => ({
      ...{ domain, state, code, reason, checks: JSON.stringify(checks) },
    }))
    const ids = await db.write((queries) =>
      queries.all<{ id: number }>(sql`
        update sites set
          health_since = case when health is report.value ->> 'state' then health_since else ${now} end,
          health = report.value ->> 'state', health_code = report.value ->> 'code',
          health_reason = report.value ->> 'reason', health_checks = report.value ->> 'checks'
        from json_each(${JSON.stringify(rows)}) as report
        where sites.server_id = ${server_id} and sites.domain = report.value ->> 'domain'
          and (health, health_code, health_reason, health_checks) is not (
            report.value ->> 'state', report.value ->> 'code', report.value ->> 'reason',
            report.value ->> 'checks')
        returning sites.id`),
    )
    changed += ids.length
  }
  return changed
}
