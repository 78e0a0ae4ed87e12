import { bulkInUse, domainOf, siteCall } from '#dashboard/features/backups/rule-parts.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { NewActivity, OperationRow } from '#dashboard/kernel/db/rows.ts'
import { NO_CHANGE, type OperationRules, type RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { conflict, messageOf } from '#shared/kernel/errors.ts'
import type { OperationType } from '#shared/operation-types.ts'
import type { Warning } from '#shared/servers/agent.ts'
import type { CdnPurge } from '#shared/sites/api/cdn-purge.ts'
import { accessTo } from './accounts.ts'
import { purgeHosts } from './cloudflare.ts'
import { withAdvice } from './purge-errors.ts'
import { findPurgeTargets, type PurgeDeps, type PurgeTarget, purgeView } from './purge-targets.ts'
import { insertEntry } from './queries.ts'

/** The maximum of names in one call to Cloudflare. */
const MAX_CONCURRENT = 30

type ActivitySubject = Pick<NewActivity, 'domain' | 'server_id' | 'user_id'>

/** Purges what Cloudflare has of a site. Throws conflict with its message, and what to do. */
export async function purgeCdn(
  deps: PurgeDeps,
  { site, server, actor }: SiteTarget,
  { dry_run }: { dry_run: boolean },
): Promise<CdnPurge> {
  const targets = await findPurgeTargets(deps, site)
  if (dry_run) return purgeView(targets)
  if (targets.length === 0)
    throw conflict(
      `No name of ${site.domain} is proxied by Cloudflare in a zone of a DNS account: the cache of Cloudflare has no page of the site`,
    )
  await purgeAll(deps, targets, { domain: site.domain, server_id: server.id, user_id: actor })
  return purgeView(targets)
}

async function purgeAll(deps: PurgeDeps, targets: readonly PurgeTarget[], whose: ActivitySubject) {
  for (const target of targets) {
    const enter = (status: 'success' | 'failed') =>
      insertEntry(
        deps.db,
        entryOf(deps.clock, {
          type: 'cdn.purge',
          ...whose,
          status,
          detail: `${target.hosts.join(', ')} in ${target.account.name}`,
        }),
      )
    try {
      await withAdvice(purgeTarget(deps, target), target)
    } catch (error) {
      await enter('failed')
      throw error
    }
    await enter('success')
  }
}

async function purgeTarget(deps: PurgeDeps, { account, zone, hosts }: PurgeTarget): Promise<void> {
  const access = accessTo(account, deps)
  for (let at = 0; at < hosts.length; at += MAX_CONCURRENT)
    await purgeHosts(access, zone.id, hosts.slice(at, at + MAX_CONCURRENT))
}

/** Purges the cache of Cloudflare after that of the site, from which old pages would return. */
async function purgeAfter(deps: RulesDeps, operation: OperationRow): Promise<Warning[]> {
  const { site_id: id, domain, server_id, actor: user_id } = operation
  if (id === null) return []
  try {
    const targets = await findPurgeTargets(deps, { id, domain })
    await purgeAll(deps, targets, { domain, server_id, user_id })
    return []
  } catch (error) {
    const message = `The cache of Cloudflare was not purged: ${messageOf(error)}`
    return [{ code: 'cdn_not_purged', message: message.slice(0, 1000) }]
  }
}

export const purgesCdn: Pick<OperationRules<OperationType>, 'afterwards' | 'last_step'> = {
  afterwards: purgeAfter,
  last_step: async (deps, site) => {
    const step = { name: 'cdn_purge', title: 'Purging the cache of Cloudflare' }
    try {
      const { zones } = purgeView(await findPurgeTargets(deps, site))
      if (zones.length === 0) return undefined
      const effects = zones.flatMap(({ account, hosts }) =>
        hosts.map((host) => ({
          action: 'run' as const,
          kind: 'purge',
          name: `${host} in ${account}`,
        })),
      )
      return { ...step, effects }
    } catch (error) {
      return { ...step, effects: [], notes: [messageOf(error).slice(0, 1000)] }
    }
  },
}

/** The rules of a command that only clears caches of a site. */
export const clearsCaches = {
  ...siteCall,
  ...bulkInUse,
  ...purgesCdn,
  params: (_: unknown, target: { site?: { domain: string } }) => ({ domain: domainOf(target) }),
  succeeded: () => NO_CHANGE,
}
