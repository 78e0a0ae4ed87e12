import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { isYounger } from '#dashboard/kernel/db/age.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { jsonOf } from '#dashboard/kernel/db/json-of.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { isolation_checks, servers } from '#dashboard/kernel/db/schema.ts'
import type { IsolationCheckView } from '#shared/isolation/api/isolation.ts'
import { countOutcomes } from '#shared/isolation/isolation.ts'

const NEVER_CHECKED = { checked_at: null, results: null, failures: 0, failed_at: null, reason: '' }

export async function getIsolationCheck(
  db: Database,
  server_id: number,
): Promise<IsolationCheckView> {
  const { server_id: key, ...columns } = getTableColumns(isolation_checks)
  const [row] = await db.read.select(columns).from(isolation_checks).where(eq(key, server_id))
  const found = row ?? NEVER_CHECKED
  return { ...found, counts: found.results && countOutcomes(found.results) }
}

const has_sites = sql<boolean>`exists (select 1 from sites
  where sites.server_id = servers.id and sites.status in ('active', 'suspended'))`.mapWith(Boolean)

const succeeded = jsonOf<string[]>(sql`(select json_group_array(value ->> '$.title')
  from json_each(coalesce(${isolation_checks.results}, '[]'))
  where value ->> '$.outcome' = 'succeeded')`)

export function listIsolation(db: Database) {
  const { id, name, status, created_at } = servers
  const { checked_at, failures, failed_at, reason } = isolation_checks
  return db.read
    .select({
      id,
      name,
      status,
      created_at,
      has_sites,
      succeeded,
      checked_at,
      failed_at,
      reason: sql<string>`coalesce(${reason}, '')`,
      failures: sql<number>`coalesce(${failures}, 0)`,
    })
    .from(servers)
    .leftJoin(isolation_checks, eq(isolation_checks.server_id, servers.id))
    .orderBy(asc(name), asc(id))
}

/**
 * Lists online servers with sites, whose last check was not within `every_ms`, or failed for the
 * first time and not within `first_ms`; the longest due first, at most `limit`. New servers wait
 * for `first_ms`.
 */
export function listDue(
  db: Database,
  {
    now,
    first_ms,
    every_ms,
    limit,
  }: { now: Date; first_ms: number; every_ms: number; limit: number },
): Promise<{ server: ServerRow }[]> {
  const last = sql`max(coalesce(${isolation_checks.checked_at}, ''), coalesce(${isolation_checks.failed_at}, ''))`
  const isChecked = sql`case when ${isolation_checks.failures} = 1
    then ${isYounger(last, first_ms, now)} else ${isYounger(last, every_ms, now)} end`
  const idle = sql`not exists (select 1 from operations where operations.server_id = servers.id
    and operations.type = 'isolation.check' and operations.status in ('queued', 'running'))`
  return db.read
    .select({ server: servers })
    .from(servers)
    .leftJoin(isolation_checks, eq(isolation_checks.server_id, servers.id))
    .where(
      and(
        eq(servers.status, 'online'),
        sql`not ${isYounger(servers.created_at, first_ms, now)}`,
        has_sites,
        sql`not ${isChecked}`,
        idle,
      ),
    )
    .orderBy(last, asc(servers.id))
    .limit(limit)
}
