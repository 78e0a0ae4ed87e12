import { apexOf } from '#shared/names.ts'
import type { Host } from '../host/ports.ts'
import * as cron from '../os/cron.ts'
import * as nginx from '../os/nginx.ts'
import * as fpm from '../os/php-fpm.ts'
import { provision } from '../os/provision.ts'
import { findSite, getSite, type Site, writeSite } from '../os/sites.ts'
import type { Command, Context, Progress, Step } from './command.ts'

type Change = { domain: string; php?: string | undefined; tier?: Site['tier'] | undefined }

export const siteUpdate: Command<'site.update'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: changeSteps,
  async finished(change, host) {
    const site = await changed(change, host)
    return site && { domain: site.domain, php: site.php, tier: site.tier }
  },
  async *run(change, context) {
    const { domain, php, tier } = yield* changeSite(change, context)
    return { domain, php, tier }
  },
}

/** The site, when its record says that the change was made. */
export async function changed(change: Change, host: Host): Promise<Site | undefined> {
  const site = await findSite(host, change.domain)
  return site && isApplied(site, change) ? site : undefined
}

/** Throws not_found for a domain that this agent did not make, invalid on `php` for no such version. */
export async function* changeSite(change: Change, { host, perform }: Context): Progress<Site> {
  const site = await getSite(host, change.domain)
  const wanted = applied(site, change)
  if (wanted.php !== site.php) yield* provision(host, [wanted.php], 'php')
  yield `Moving ${site.domain} to PHP ${wanted.php}, tier ${wanted.tier}`
  yield* perform(changeSteps(change, host))
  return wanted
}

/**
 * The record decides which state is the whole one: until it is written every undo goes back to what
 * it says, afterwards the same work goes forward.
 */
export function changeSteps(change: Change, host: Host): Step[] {
  const recorded = () => getSite(host, change.domain)
  const wanted = async () => applied(await recorded(), change)
  return [
    {
      name: 'pool',
      title: 'Applying the PHP pool',
      apply: async () => fpm.apply(host, await wanted()),
      async undo() {
        await fpm.apply(host, await recorded())
        await fpm.removeOthers(host, await recorded())
      },
    },
    {
      name: 'vhost',
      title: 'Applying the virtual host',
      apply: async () => serve(host, await wanted()),
      undo: async () => serve(host, await recorded()),
    },
    {
      name: 'cron',
      title: 'Applying the jobs',
      apply: async () => cron.apply(host, await wanted()),
      undo: async () => cron.apply(host, await recorded()),
    },
    {
      name: 'record',
      title: 'Recording the site',
      apply: async () => writeSite(host, await wanted()),
      decided: async () => isApplied(await recorded(), change),
    },
    {
      name: 'former pool',
      title: 'Removing pools that are no longer used',
      apply: async () => fpm.removeOthers(host, await recorded()),
    },
  ]
}

const applied = (site: Site, { php = site.php, tier = site.tier }: Change): Site => ({
  ...site,
  php,
  tier,
})

const isApplied = (site: Site, change: Change) =>
  site.php === applied(site, change).php && site.tier === applied(site, change).tier

async function serve(host: Host, site: Site): Promise<void> {
  await nginx.apply(host, site, await nginx.certificateOf(host, site.domain))
}
