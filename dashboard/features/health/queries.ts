import { type SQL, sql } from 'drizzle-orm'
import { isYounger } from '#dashboard/kernel/db/age.ts'
import type { Database, Queries } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { chunksOf } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import type { HealthVerdict } from '#shared/health/page-verdict.ts'
import type { HealthState } from '#shared/kernel/values.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
import { FRESH_MS } from './site-health.ts'

const PIECE = 200

/** Returns the state of a site as in `healthOf`, on columns of the index `sites_listing`. */
export function healthAt(now: Date): SQL<HealthState | null> {
  return sql<HealthState | null>`case
    when ${sites.status} <> 'active' or (${sites.found} and ${sites.health} is null) then null
    when ${sites.server_id} in (
      select id from servers where servers.status <> 'online' or not ${isYounger(sql`metrics_at`, FRESH_MS, now)})
    then 'unknown'
    else coalesce(${sites.health}, 'unknown') end`
}

/** The columns for `healthOf`, for a select of sites joined with their servers. */
export const HEALTH_COLUMNS = {
  health: sites.health,
  health_code: sites.health_code,
  health_reason: sites.health_reason,
  health_since: sites.health_since,
  server_status: servers.status,
  server_error: servers.last_error,
  last_sync: servers.last_sync,
  metrics_at: servers.metrics_at,
  visited_at: sites.visited_at,
}

/** Orders the states: unknown is worse than nothing only. */
const rankOf = (check: SQL): SQL => sql`case ${check} ->> 'state'
  when 'down' then 2 when 'degraded' then 1 when 'up' then 0 else -1 end`

/** The request from outside among the stored checks of a site; null when there was none. */
const VISIT = sql`(select value from json_each(${sites.health_checks})
  where value ->> 'check' = 'visit' limit 1)`

/**
 * Updates the health of sites to that of \`next\`, a select of \`id\`, the check that decides as \`worst\`, and
 * all checks as \`checks\`; a state keeps its start time. Returns the changed sites.
 */
const recordHealth = (queries: Queries, next: SQL, now: string) =>
  queries.all<{ id: number; server_id: number }>(sql`
    update sites set
      health_since = case when health is next.worst ->> 'state' then health_since else ${now} end,
      health = next.worst ->> 'state',
      health_code = coalesce(next.worst ->> 'code', ''),
      health_reason = coalesce(next.worst ->> 'reason', ''),
      health_checks = next.checks
    from (${next}) as next
    where sites.id = next.id and (health, health_code, health_reason, health_checks) is not (
      next.worst ->> 'state', coalesce(next.worst ->> 'code', ''),
      coalesce(next.worst ->> 'reason', ''), next.checks)
    returning sites.id, sites.server_id`)

/**
 * Stores a report by domain. The request from outside stays beside it, and decides if it is worse.
 * Returns the number of changed sites.
 */
export async function storeHealth(
  db: Database,
  server_id: number,
  found: readonly SiteHealth[],
  now: string,
): Promise<number> {
  let changed = 0
  for (const some of chunksOf(found, PIECE)) {
    const rows = some.map(({ domain, state, code, reason, checks }) => ({
      domain,
      state,
      code,
      reason,
      checks,
    }))
    const next = sql`
      select id,
        case when ${rankOf(sql`visit`)} > ${rankOf(sql`report`)} and visit is not null
          then visit else report end as worst,
        case when visit is null then report -> 'checks'
          else json_insert(report -> 'checks', '$[#]', json(visit)) end as checks
      from (
        select sites.id, row.value as report, ${VISIT} as visit
        from json_each(${JSON.stringify(rows)}) as row
        join sites on sites.server_id = ${server_id} and sites.domain = row.value ->> 'domain')`
    const rows_changed = await db.write((queries) => recordHealth(queries, next, now))
    changed += rows_changed.length
  }
  return changed
}

/** The result of a request of a site from outside; without a verdict, the last one is forgotten. */
export interface StoredVisit {
  site_id: number
  verdict: HealthVerdict | null
  visited_at: string | null
}

/**
 * Stores the results of requests from outside. Of a site whose agent reports no health, they are the
 * health. Returns the servers with changed sites.
 */
export async function storeVisits(
  db: Database,
  visits: readonly StoredVisit[],
  now: string,
): Promise<number[]> {
  const changed = new Set<number>()
  for (const some of chunksOf(visits, PIECE)) {
    const rows = JSON.stringify(
      some.map(({ site_id, verdict, visited_at }) => ({
        site_id,
        visited_at,
        visit: verdict && { check: 'visit', ...verdict },
      })),
    )
    const others = sql`json_each(site.health_checks) as other where other.value ->> 'check' <> 'visit'`
    const next = sql`
      select id,
        case when visit is null or ${rankOf(sql`visit`)} <= coalesce(${rankOf(sql`own`)}, -1)
          then own else visit end as worst,
        case when visit is null then checks else json_insert(checks, '$[#]', json(visit)) end as checks
      from (
        select site.id, nullif(row.value -> 'visit', 'null') as visit,
          (select other.value from ${others}
            order by ${rankOf(sql`other.value`)} desc, other.key limit 1) as own,
          (select json_group_array(json(other.value)) from ${others}) as checks
        from json_each(${rows}) as row join sites as site on site.id = row.value ->> 'site_id')`
    const times = sql`update sites set visited_at = row.value ->> 'visited_at'
      from json_each(${rows}) as row where sites.id = row.value ->> 'site_id'`
    await db.write((queries) => queries.run(times))
    for (const { server_id } of await db.write((queries) => recordHealth(queries, next, now)))
      changed.add(server_id)
  }
  return [...changed]
}
