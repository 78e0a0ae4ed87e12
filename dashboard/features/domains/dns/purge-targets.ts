import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import type { CdnPurge } from '#shared/sites/api/cdn-purge.ts'
import { accessTo, type DnsDeps } from './accounts.ts'
import { readRecords } from './cloudflare.ts'
import { withAdvice } from './purge-errors.ts'
import { type AccountRow, listAccounts } from './queries.ts'
import { zoneOf } from './read-changes.ts'

const MAX_CONCURRENT = 8

export type PurgeDeps = Pick<DnsDeps, 'db' | 'clock' | 'sealer' | 'rules'>

/** The names of a site that Cloudflare answers for, in one zone. */
export interface PurgeTarget {
  account: AccountRow
  zone: { id: string; name: string }
  hosts: string[]
}

/** Returns the proxied names, which alone have a cache. Throws conflict with what to do. */
export async function findPurgeTargets(
  deps: PurgeDeps,
  { id, domain }: { id: number; domain: string },
): Promise<PurgeTarget[]> {
  const accounts = await listAccounts(deps.db)
  if (accounts.length === 0) return []
  const names = allNamesOf({ domain, names: await namesOf(deps.db, id) })
  const limit = new Limit(MAX_CONCURRENT)
  const proxied = await Promise.all(
    names
      .filter((name) => !isWildcard(name))
      .map((name) =>
        limit.run(async () => {
          const place = zoneOf(accounts, name)
          return place && (await isProxied(deps, place, name)) ? [{ ...place, name }] : []
        }),
      ),
  )
  return byZone(proxied.flat())
}

async function isProxied(
  deps: PurgeDeps,
  { account, zone }: Omit<PurgeTarget, 'hosts'>,
  name: string,
): Promise<boolean> {
  const records = readRecords(accessTo(account, deps), zone.id, name)
  return (await withAdvice(records, { account, zone })).some((record) => record.proxied)
}

function byZone(found: (Omit<PurgeTarget, 'hosts'> & { name: string })[]): PurgeTarget[] {
  const zones = Map.groupBy(found, ({ zone }) => zone.id)
  return [...zones.values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const { account, zone } = first
    return [{ account, zone, hosts: all.map(({ name }) => name) }]
  })
}

export const purgeView = (targets: readonly PurgeTarget[]): CdnPurge => ({
  zones: targets.map(({ account, zone, hosts }) => ({
    zone: zone.name,
    account: account.name,
    hosts,
  })),
})
