import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { OPERATING } from '#dashboard/kernel/db/exclusion.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { site_settings } from '#dashboard/kernel/db/settings-schema.ts'
import { MAX_CLOCK_DIFFERENCE_MS } from '#shared/kernel/age.ts'
import type { HealthState } from '#shared/kernel/values.ts'

export type VisitRow = Awaited<ReturnType<typeof selectSites>>[number]

/** The maximum of sites that are started at once; the others are due in the next round. */
const MAX_DUE = 500

/** The condition for sites in use, neither changing nor closed: visitors expect a page. */
const isOpen = and(
  eq(sites.status, 'active'),
  eq(sites.found, false),
  eq(servers.status, 'online'),
  sql`not ${OPERATING}`,
  sql`not exists (select 1 from ${site_settings} where site_id = ${sites.id}
    and settings ->> '$.maintenance' is not null)`,
)

function selectSites(db: Database, which: SQL) {
  return db.read
    .select({
      id: sql<number>`${sites.id}`,
      server_id: sql<number>`${sites.server_id}`,
      domain: sql<string>`${sites.domain}`,
      tls: sql<boolean>`${sites.tls} <> 'none' and ${sites.certificate_expires_at} <> ''`.mapWith(
        Boolean,
      ),
      visited_at: sql<string | null>`${sites.visited_at}`,
      hostname: servers.hostname,
      port: servers.port,
      /** The state that the last request has shown. */
      state: sql<HealthState | null>`(select value ->> 'state' from json_each(${sites.health_checks})
        where value ->> 'check' = 'visit')`,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(and(which, isOpen))
    .orderBy(asc(sites.visited_at))
    .limit(MAX_DUE)
}

/** Selects the ids by this condition; the index has only the sites that are requested. */
const requestedIds = (when: SQL) =>
  sql`select id from sites indexed by sites_visits where status = 'active' and found = 0 and ${when}`

/** Lists the open sites whose last request is older than this, the longest ago first. */
export function listDue(db: Database, age_ms: number, now: Date): Promise<VisitRow[]> {
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString()
  const ids = sql.join(
    [
      requestedIds(sql`visited_at is null`),
      requestedIds(sql`visited_at <= ${at(-age_ms)}`),
      requestedIds(sql`visited_at > ${at(MAX_CLOCK_DIFFERENCE_MS)}`),
    ],
    sql` union all `,
  )
  return selectSites(db, sql`${sites.id} in (${ids})`)
}

/** Returns the time of the oldest last request of the sites in use; null when there is none. */
export async function findOldestVisit(db: Database): Promise<string | null> {
  const [row] = await db.read.all<{ visited_at: string }>(
    sql`select visited_at from sites indexed by sites_visits where status = 'active' and found = 0
      and visited_at is not null order by visited_at limit 1`,
  )
  return row?.visited_at ?? null
}

export const listOpenSites = (db: Database, site_ids: readonly number[]): Promise<VisitRow[]> =>
  selectSites(db, inArray(sites.id, [...site_ids]))

export async function listIds(
  db: Database,
  server_id: number,
  domains: readonly string[],
): Promise<number[]> {
  const rows = await db.read
    .select({ id: sites.id })
    .from(sites)
    .where(and(eq(sites.server_id, server_id), inArray(sites.domain, [...domains])))
  return rows.map(({ id }) => id)
}

/** Lists the sites in use with a result, at most so many. */
export async function listVisited(db: Database, limit: number): Promise<number[]> {
  const rows = await db.read.all<{ id: number }>(
    sql`${requestedIds(sql`visited_at is not null`)} limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}
