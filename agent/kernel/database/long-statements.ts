import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { databaseLimits, machineOf, siteLimitsOn } from '#agent/kernel/site/tiers.ts'
import { listTemporary } from './temporary-accounts.ts'

/** The time beyond the limit after which MariaDB ends a statement by itself. */
const GRACE_MS = 10_000

/**
 * Ends the statements of these sites, and of temporary users of their databases, that exceed the
 * limit of their tier: sessions may change the MAX_STATEMENT_TIME of their account. Excludes the
 * accounts of `busy` sites, of which an operation or a dump runs. Returns the affected sites, once
 * each.
 */
export async function endLongStatements(
  host: Host,
  sites: readonly Site[],
  busy: (site: Site) => boolean,
): Promise<Site[]> {
  const limits = await limitsByAccount(host, sites, busy)
  const shortest = Math.min(...[...limits.values()].map(({ ms }) => ms))
  if (!Number.isFinite(shortest)) return []
  const ended = new Set<Site>()
  for (const { id, user, ms } of await host.database.admin('list_long_statements', [shortest])) {
    const limit = limits.get(String(user))
    if (!limit || Number(ms) <= limit.ms) continue
    // The statement may have ended meanwhile.
    await host.database.admin('end_statement', [Number(id)]).catch(() => undefined)
    ended.add(limit.site)
  }
  return sites.filter((site) => ended.has(site))
}

async function limitsByAccount(
  host: Host,
  sites: readonly Site[],
  busy: (site: Site) => boolean,
): Promise<Map<string, { site: Site; ms: number }>> {
  const [machine, temporary] = [await machineOf(host), await listTemporary(host)]
  const limits = new Map<string, { site: Site; ms: number }>()
  for (const site of sites) {
    const { statement_time } = databaseLimits(siteLimitsOn(site, machine))
    const limit = { site, ms: statement_time * 1000 + GRACE_MS }
    if (!busy(site)) limits.set(site.user, limit)
    for (const { user, database } of temporary) {
      if (database === site.user) limits.set(user, limit)
    }
  }
  return limits
}
