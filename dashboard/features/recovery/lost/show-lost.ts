import { isIPv6 } from 'node:net'
import { listAccounts } from '#dashboard/features/domains/dns/queries.ts'
import { zoneOf } from '#dashboard/features/domains/dns/read-changes.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { addressesOf } from '#dashboard/kernel/targets/addresses.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import type { LostServerView, LostSite } from '#shared/recovery/api/lost-servers.ts'
import { findLost, listDestinations, listLostSites, listNames } from './queries.ts'

type LostSiteRow = Awaited<ReturnType<typeof listLostSites>>[number]
type DestinationRow = Awaited<ReturnType<typeof listDestinations>>[number]

const MB = 1_000_000

export async function showLost(db: Database, { id }: ServerRow): Promise<LostServerView> {
  const places = await listDestinations(db, id)
  const sites = (await listLostSites(db, id)).map((row) => viewOf(row, id))
  return {
    declared_at: (await findLost(db, id))?.declared_at ?? null,
    sites,
    destinations: places.map(({ hostname: _, metrics, ...place }) => {
      const { used, total } = metrics?.disk ?? { used: 0, total: 0 }
      return { ...place, free_bytes: metrics ? Math.max(0, Math.floor((total - used) * MB)) : null }
    }),
    records: await neededRecords(db, sites, places),
  }
}

function viewOf(row: LostSiteRow, lost_id: number): LostSite {
  const { found, backup, status_reason: _, ...site } = row
  return { ...site, ...stateOf(row, lost_id), backup: found ? null : backup }
}

function stateOf(
  { server_id, status, status_reason, found, backup }: LostSiteRow,
  lost_id: number,
): Pick<LostSite, 'state' | 'reason'> {
  if (server_id !== lost_id) {
    if (status === 'provisioning') return { state: 'restoring', reason: '' }
    const isFailed = status === 'failed' || status === 'cancelled'
    return isFailed ? { state: 'failed', reason: status_reason } : { state: 'restored', reason: '' }
  }
  const lost = (reason: string) => ({ state: 'lost' as const, reason })
  if (status === 'trashed') return lost('It was in the trash of the server.')
  if (found)
    return lost('It was found on the server, and only sites of the dashboard are backed up.')
  if (backup === null) return lost('It has no backup.')
  return { state: 'restorable', reason: '' }
}

/** Lists the DNS records that are changed by hand: Cloudflare gets its records from the restore. */
async function neededRecords(
  db: Database,
  sites: readonly LostSite[],
  places: readonly DestinationRow[],
): Promise<LostServerView['records']> {
  const restored = sites.filter(({ state }) => state === 'restored')
  if (restored.length === 0) return []
  const accounts = await listAccounts(db)
  const others = await listNames(
    db,
    restored.map(({ id }) => id),
  )
  const addresses = new Map(
    await Promise.all(
      places.map(async ({ id, hostname }) => [id, await addressesOf(hostname)] as const),
    ),
  )
  return restored.flatMap(({ id, domain, server_id }) =>
    [...new Set([...pairOf(domain), ...(others.get(id) ?? [])])]
      .filter((name) => !zoneOf(accounts, name))
      .flatMap((name) =>
        (addresses.get(server_id) ?? []).map((content) => ({
          domain,
          name,
          content,
          type: isIPv6(content) ? ('AAAA' as const) : ('A' as const),
        })),
      ),
  )
}
