import type { Host } from '#agent/host/ports.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { databaseLimits, limitsFor, machineOf } from '#agent/os/site/tiers.ts'

/** MariaDB itself ends a statement at its limit, unless the session has removed the limit. */
const GRACE_MS = 10_000

/**
 * Ends the statements of these sites that exceed the limit of their tier: sessions may change the
 * MAX_STATEMENT_TIME of their account. Returns the affected sites, once each.
 */
export async function endLongStatements(host: Host, sites: readonly Site[]): Promise<Site[]> {
  const machine = await machineOf(host)
  const limits = new Map(
    sites.map((site) => {
      const { statement_time } = databaseLimits(limitsFor(site, machine))
      return [site.user, statement_time * 1000 + GRACE_MS]
    }),
  )
  const shortest = Math.min(...limits.values())
  if (!Number.isFinite(shortest)) return []
  const ended = new Set<string>()
  for (const { id, user, ms } of await host.database.admin('list_long_statements', [shortest])) {
    const limit = limits.get(String(user))
    if (limit === undefined || Number(ms) <= limit) continue
    // The statement may have ended meanwhile.
    await host.database.admin('end_statement', [Number(id)]).catch(() => undefined)
    ended.add(String(user))
  }
  return sites.filter(({ user }) => ended.has(user))
}
