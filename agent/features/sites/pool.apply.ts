import { discoverSites } from '#agent/features/existing/discovery.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { mapped } from '#agent/kernel/steps/mapped.ts'
import { inTrash, notFound, notManaged } from '#shared/kernel/errors.ts'
import { siteUpdate } from './site.update.ts'

/** It is `site.update` of the tier, for a site that is named by its pool. */
export const poolApply = mapped<'pool.apply', 'site.update'>(siteUpdate, {
  async params({ user, php_version, tier }, host) {
    const { domain } = await siteOf(host, user, php_version)
    return { domain, tier }
  },
  async find({ user, tier }, host) {
    const site = await siteOfUser(host, user)
    return site && { domain: site.domain, tier }
  },
  result: ({ tier }) => ({ tier }),
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
