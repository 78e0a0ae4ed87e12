import { cachedParts } from '#dashboard/features/sites/listing/cached-parts.ts'
import { expiringAfter } from '#dashboard/features/sites/listing/filter.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { isOnServers } from '#dashboard/kernel/db/server-sites.ts'
import type { HealthState } from '#shared/kernel/values.ts'
import { listSilent, readGroups, type SiteGroup } from './queries.ts'

export type ServerGroups = ReadonlyMap<number, readonly SiteGroup[]>

/** Returns the groups of sites of all servers; only those of changed servers are counted again. */
export const listGroups = cachedParts(
  async (db, server_ids, now: Date) => {
    const found = await readGroups(db, isOnServers(server_ids), now)
    return new Map(server_ids.map((id) => [id, found.get(id) ?? []]))
  },
  (groups) =>
    Math.min(
      ...groups.flatMap(({ next_expiring }) =>
        next_expiring === null ? [] : [expiringAfter(next_expiring)],
      ),
    ),
)

/** Counts the sites of one server by status and health, without ignored ones. */
export async function countSitesOf(db: Database, now: Date, server_id: number) {
  return countsOf(await readGroups(db, isOnServers([server_id]), now), await listSilent(db, now))
}

/** Counts the sites of all servers; `silent` are those whose reports are not valid. */
export function countsOf(groups: ServerGroups, silent: ReadonlySet<number>) {
  const counts = {
    sites: {} as Record<string, number>,
    health: {} as Record<string, number>,
    updates: 0,
    updates_unknown: 0,
  }
  for (const [server_id, own] of groups)
    for (const group of own) {
      const { status, total } = group
      counts.sites[status] = (counts.sites[status] ?? 0) + total
      const health = healthIn(group, silent.has(server_id))
      if (health !== null) counts.health[health] = (counts.health[health] ?? 0) + total
      counts.updates += group.updates
      counts.updates_unknown += group.updates_unknown
    }
  return counts
}

/** Returns the health as in `healthOf`. */
function healthIn({ status, found, health }: SiteGroup, silent: boolean): HealthState | null {
  if (status !== 'active' || (found && health === null)) return null
  return silent ? 'unknown' : (health ?? 'unknown')
}

export function countByServer(groups: ServerGroups): ReadonlyMap<number, number> {
  const inUse = (own: readonly SiteGroup[]) =>
    own.reduce((sum, { status, total }) => sum + (status === 'trashed' ? 0 : total), 0)
  return new Map([...groups].map(([id, own]) => [id, inUse(own)]))
}

export function needsIn(groups: ServerGroups, silent: ReadonlySet<number>) {
  const { sites, health, updates } = countsOf(groups, silent)
  const sum = (field: 'expiring' | 'conflicts') =>
    [...groups.values()].flat().reduce((total, group) => total + group[field], 0)
  return {
    down: health.down ?? 0,
    degraded: health.degraded ?? 0,
    failures: sites.failed ?? 0,
    lost: sites.missing ?? 0,
    expiring: sum('expiring'),
    outdated: updates,
    conflicts: sum('conflicts'),
  }
}

export function phpIn(groups: ServerGroups): { server_id: number; php: string; total: number }[] {
  return [...groups].flatMap(([server_id, own]) =>
    own
      .filter(({ status }) => status === 'active' || status === 'suspended')
      .map(({ php, total }) => ({ server_id, php, total })),
  )
}
