import { discoverSites } from '#agent/features/existing/discovery.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { inTrash, notFound, notManaged } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { updating } from './site.update.ts'
import { changeList } from './site-change.ts'

/** It is `site.update` for a site that is named by its pool, and so takes the lock of that site. */
export const poolApply = command('pool.apply', {
  async lock({ user }, host) {
    const site = await siteOfUser(host, user)
    return site ? apexOf(site.domain) : `pool ${user}`
  },
  check: async ({ user, php_version }, host) => ({ site: await siteOf(host, user, php_version) }),
  async find({ user }, host) {
    const site = await siteOfUser(host, user)
    return site && { site }
  },
  steps: (job) => changeList(updating({ domain: job.site.domain, tier: job.params.tier }), job),
  result: ({ params: { tier } }) => ({ tier }),
})

const siteOfUser = async (host: Host, user: string, folder?: 'trash'): Promise<Site | undefined> =>
  (await listSites(host, folder)).find((site) => site.user === user)

/** Throws not_found for an unknown user, conflict for a site in the trash or of others. */
async function siteOf(host: Host, user: string, php: string): Promise<Site> {
  const site = await siteOfUser(host, user)
  if (site?.php === php) return site
  const missing = notFound(`PHP ${php} pool of ${user}`)
  if (site) throw missing
  const trashed = await siteOfUser(host, user, 'trash')
  if (trashed) throw inTrash(trashed.domain)
  const discovered = (await discoverSites(host)).find((one) => one.user === user)
  throw discovered ? notManaged(discovered.domain) : missing
}
