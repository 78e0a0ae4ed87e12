import { apexOf } from '#shared/names.ts'
import type { Host } from '../host/ports.ts'
import * as cron from '../os/cron.ts'
import * as nginx from '../os/nginx.ts'
import * as fpm from '../os/php-fpm.ts'
import { provisionSteps } from '../os/provision.ts'
import { findSite, getSite, recording, type Site, writeSite } from '../os/sites.ts'
import type { Command, Context, Progress, Step } from './command.ts'

type Change = { domain: string; php?: string | undefined; tier?: Site['tier'] | undefined }

export const siteUpdate: Command<'site.update'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: changeSteps,
  plan: planChange,
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
  yield* perform(await preparing(host, site, wanted))
  yield `Moving ${site.domain} to PHP ${wanted.php}, tier ${wanted.tier}`
  yield* perform(changeSteps(change, host))
  return wanted
}

/** All of its steps, those that make the server ready for the PHP version included. */
export async function planChange(change: Change, host: Host): Promise<Step[]> {
  const site = await getSite(host, change.domain)
  const steps = await preparing(host, site, applied(site, change))
  return [...steps, ...changeSteps(change, host)]
}

async function preparing(host: Host, site: Site, wanted: Site): Promise<Step[]> {
  return wanted.php === site.php ? [] : provisionSteps(host, [wanted.php], 'php')
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
      effects: async () => fpm.applying(host, await wanted()),
      apply: async () => fpm.apply(host, await wanted()),
      async undo() {
        await fpm.apply(host, await recorded())
        await fpm.removeOthers(host, await recorded())
      },
    },
    {
      name: 'vhost',
      title: 'Applying the virtual host',
      effects: async () => serving(host, await wanted()),
      apply: async () => serve(host, await wanted()),
      undo: async () => serve(host, await recorded()),
    },
    {
      name: 'cron',
      title: 'Applying the jobs',
      effects: async () => cron.applying(host, await wanted()),
      apply: async () => cron.apply(host, await wanted()),
      undo: async () => cron.apply(host, await recorded()),
    },
    {
      name: 'record',
      title: 'Recording the site',
      effects: async () => recording(host, await wanted()),
      apply: async () => writeSite(host, await wanted()),
      decided: async () => isApplied(await recorded(), change),
    },
    {
      name: 'former pool',
      title: 'Removing pools that are no longer used',
      effects: async () => fpm.removingOthers(host, await wanted()),
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

async function serving(host: Host, site: Site) {
  return nginx.applying(host, site, await nginx.certificateOf(host, site.domain))
}
