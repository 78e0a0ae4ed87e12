import { notFound } from '#shared/errors.ts'
import type { Host } from '../host/ports.ts'
import { listSites, type Site } from '../os/sites.ts'
import type { Command } from './command.ts'
import { changeSite } from './site.update.ts'

export const poolApply: Command<'pool.apply'> = {
  lock: ({ user }) => `pool ${user}`,
  async *run({ user, php_version: php, tier }, context) {
    const site = await siteOf(context.host, user, php)
    yield* changeSite({ domain: site.domain, tier }, context)
    return { tier }
  },
}

async function siteOf(host: Host, user: string, php: string): Promise<Site> {
  const site = (await listSites(host)).find((one) => one.user === user && one.php === php)
  if (!site) throw notFound(`PHP ${php} pool of ${user}`)
  return site
}
