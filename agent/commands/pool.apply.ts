import type { Host } from '#agent/host/ports.ts'
import { discoverSites } from '#agent/os/discovery/discovery.ts'
import { listSites, type Site } from '#agent/os/site/sites.ts'
import type { Command } from '#agent/steps/command.ts'
import { inTrash, notFound, notManaged } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { updating } from './site.update.ts'
import { changed, changeSite, changeSteps, planChange } from './site-change.ts'

/** It changes the site of the pool, and so takes the lock of that site. */
export const poolApply: Command<'pool.apply'> = {
  async lock({ user }, host) {
    const site = (await listSites(host)).find((one) => one.user === user)
    return site ? apexOf(site.domain) : `pool ${user}`
  },
  async steps({ user, tier }, host) {
    const site = (await listSites(host)).find((one) => one.user === user)
    return site ? changeSteps(updating({ domain: site.domain, tier }), host) : []
  },
  async finished({ user, tier }, host) {
    const site = (await listSites(host)).find((one) => one.user === user)
    return site && (await changed(updating({ domain: site.domain, tier }), host)) && { tier }
  },
  async plan({ user, php_version: php, tier }, host) {
    const { domain } = await siteOf(host, user, php)
    return planChange(updating({ domain, tier }), host)
  },
  async *run({ user, php_version: php, tier }, context) {
    const site = await siteOf(context.host, user, php)
    yield* changeSite(updating({ domain: site.domain, tier }), context)
    return { tier }
  },
}

/** Throws not_found for an unknown user, conflict for a site in the trash or of others. */
async function siteOf(host: Host, user: string, php: string): Promise<Site> {
  const own = (await listSites(host)).filter((site) => site.user === user)
  const site = own.find((one) => one.php === php)
  if (site) return site
  const missing = notFound(`PHP ${php} pool of ${user}`)
  if (own.length > 0) throw missing
  const trashed = (await listSites(host, 'trash')).find((one) => one.user === user)
  if (trashed) throw inTrash(trashed.domain)
  const discovered = (await discoverSites(host)).find((one) => one.user === user)
  throw discovered ? notManaged(discovered.domain) : missing
}
