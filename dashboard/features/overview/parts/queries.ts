import { and, type SQL, sql } from 'drizzle-orm'
import { FRESH_MS } from '#dashboard/features/health/site-health.ts'
import {
  hasOthers,
  isExpiring,
  isShown,
  nextExpiring,
} from '#dashboard/features/sites/listing/filter.queries.ts'
import { isYounger } from '#dashboard/kernel/db/age.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { SITES_BY_SERVER } from '#dashboard/kernel/db/server-sites.ts'

/** Sites of one server that the overview counts together. */
export interface SiteGroup extends Pick<SiteRow, 'status' | 'found' | 'health' | 'php'> {
  total: number
  updates: number
  updates_unknown: number
  expiring: number
  conflicts: number
  next_expiring: string | null
}

/** The condition for sites with updates, as in their index. */
export const isUpdatable = sql`(updates_plugins > 0 or updates_themes > 0 or updates_core > 0)
  and ${sites.status} = 'active'`
/** The condition for a discovered site whose name another server also has, often during a move. */
export const isConflict = sql`not ${sites.managed} and ${sites.status} in ('active', 'suspended') and ${hasOthers}`
const isUnknown = sql`framework = 'wordpress' and updates_plugins is null and ${sites.status} <> 'trashed'`

const countWhere = (which: SQL) => sql<number>`count(*) filter (where ${which})`

/** Counts the matching sites by server in groups, without ignored sites; reads only the index. */
export async function readGroups(
  db: Database,
  which: SQL,
  now: Date,
): Promise<Map<number, SiteGroup[]>> {
  const rows = await db.read
    .select({
      server_id: sql<number>`${sites.server_id}`,
      status: sql<SiteRow['status']>`${sites.status}`,
      found: sql<boolean>`${sites.found}`.mapWith(Boolean),
      health: sql<SiteRow['health']>`${sites.health}`,
      php: sql<string>`${sites.php}`,
      total: sql<number>`count(*)`,
      updates: countWhere(isUpdatable),
      updates_unknown: countWhere(isUnknown),
      expiring: countWhere(isExpiring(now)),
      conflicts: countWhere(isConflict),
      next_expiring: nextExpiring(now),
    })
    .from(SITES_BY_SERVER)
    .where(and(which, isShown))
    .groupBy(sites.server_id, sites.status, sites.found, sites.health, sites.php)
  const groups = new Map<number, SiteGroup[]>()
  for (const { server_id, ...group } of rows)
    groups.set(server_id, [...(groups.get(server_id) ?? []), group])
  return groups
}

/** Lists the servers whose last reports of health are not valid any more, as in `healthAt`. */
export async function listSilent(db: Database, now: Date): Promise<ReadonlySet<number>> {
  const rows = await db.read
    .select({ id: servers.id })
    .from(servers)
    .where(sql`servers.status <> 'online' or not ${isYounger(servers.metrics_at, FRESH_MS, now)}`)
  return new Set(rows.map(({ id }) => id))
}

export const listNames = (db: Database) =>
  db.read.select({ id: servers.id, name: servers.name, os: servers.os }).from(servers)
