import { isDeepStrictEqual } from 'node:util'
import type { Host } from '#agent/host/ports.ts'
import * as cron from '#agent/os/cron/cron.ts'
import { recorderSteps } from '#agent/os/cron/recorder.ts'
import { connectionSteps } from '#agent/os/database/connections.ts'
import * as mariadb from '#agent/os/database/mariadb.ts'
import { deferred } from '#agent/os/effects/change.ts'
import * as nginx from '#agent/os/nginx/nginx.ts'
import { quotaPackageSteps } from '#agent/os/packages/packages.ts'
import * as fpm from '#agent/os/php/fpm.ts'
import { servingPool } from '#agent/os/php/fpm-pools.ts'
import * as fpmRemoval from '#agent/os/php/fpm-removal.ts'
import { allSitesSteps } from '#agent/os/provision/all-sites.ts'
import { provisionSteps } from '#agent/os/provision/provision.ts'
import { findSite, getSite, planWriteSite, type Site, writeSite } from '#agent/os/site/sites.ts'
import { sharedEtcSteps } from '#agent/os/site-etc/shared.ts'
import { limitDisk, quotaSteps } from '#agent/os/users/quota.ts'
import { admitNginx } from '#agent/os/users/users.ts'
import type { Command, Context, Progress, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'
import { refuseUnaccepted } from './accept.ts'

type Change = ParamsOf<'site.update'>

export const siteUpdate: Command<'site.update'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: changeSteps,
  plan: planChange,
  async finished(change, host) {
    const site = await changed(change, host)
    return site && resultOf(site)
  },
  async *run(change, context) {
    return resultOf(yield* changeSite(change, context))
  },
}

const resultOf = ({ domain, php, tier, database_routines = false, xmlrpc = true }: Site) => ({
  ...{ domain, php, tier, database_routines, xmlrpc },
})

/** A site that waits for a certificate is served without HTTPS by each change. */
async function* missingCertificate(site: Site, { host, warn }: Context): Progress<void> {
  const { domain, tls } = site
  if (tls === 'none' || (await nginx.certificateOf(host, domain))) return
  const message = `${domain} has no certificate and is served without HTTPS: issue it again`
  yield `Warning: ${message}`
  warn({ code: 'certificate_missing', message })
}

/** The site, if its record has the change. */
export async function changed(change: Change, host: Host): Promise<Site | undefined> {
  const site = await findSite(host, change.domain)
  return site && isApplied(site, change) ? site : undefined
}

/** Throws not_found for a domain of no managed site, invalid on `php` for an unknown version. */
export async function* changeSite(change: Change, context: Context): Progress<Site> {
  const { host, announce, perform } = context
  const site = await getSite(host, change.domain)
  const target = applied(site, change)
  const missing = await preparing(host, site, target, change.accept)
  await refuseUnaccepted(missing, change.accept ?? [])
  announce([...missing, ...(await changeSteps(change, host))])
  yield* perform(missing)
  yield `Moving ${site.domain} to PHP ${target.php}, tier ${target.tier}`
  yield* perform(await changeSteps(change, host))
  yield* missingCertificate(target, context)
  return target
}

/** All of its steps, including those that install the PHP version. */
export async function planChange(change: Change, host: Host): Promise<Step[]> {
  const site = await getSite(host, change.domain)
  const steps = await preparing(host, site, applied(site, change), change.accept)
  return [...steps, ...(await changeSteps(change, host))]
}

async function preparing(
  host: Host,
  site: Site,
  target: Site,
  accept: Change['accept'],
): Promise<Step[]> {
  const steps =
    target.php === site.php
      ? [
          ...(await quotaPackageSteps(host)),
          ...(await allSitesSteps(host)),
          ...(await sharedEtcSteps(host)),
          ...(await recorderSteps(host)),
        ]
      : await provisionSteps(host, [target.php], 'php', accept)
  return [...steps, ...(await connectionSteps(host, target))]
}

/**
 * The record decides which state is complete: until it is written every undo restores the old
 * state, afterwards the work continues to the new one.
 */
export async function changeSteps(change: Change, host: Host): Promise<Step[]> {
  const recorded = () => getSite(host, change.domain)
  const target = async () => applied(await recorded(), change)
  return [
    {
      name: 'pool',
      title: 'Applying the PHP pool',
      effects: async () => fpm.planApply(host, await target()),
      apply: async () => fpm.apply(host, await target()),
      async undo() {
        const site = await recorded()
        if (!(await servingPool(host, site)).former) await fpm.apply(host, site)
        await fpmRemoval.removeOthers(host, site, { former: false })
      },
    },
    {
      name: 'database account',
      title: 'Applying the rights and limits of the database account',
      effects: async () => mariadb.planApplyAccount(host, await target()),
      apply: async () => mariadb.applyAccount(host, await target()),
      undo: async () => mariadb.applyAccount(host, await recorded()),
    },
    ...(await quotaSteps(host, target, async () => {
      await limitDisk(host, await recorded())
    })),
    {
      name: 'group',
      title: 'Letting nginx read the files of the site',
      ...deferred(async () => admitNginx(host, (await recorded()).user)),
    },
    {
      name: 'vhost',
      title: 'Applying the virtual host',
      effects: async () => planServe(host, await target()),
      apply: async () => serve(host, await target()),
      undo: async () => serve(host, await recorded()),
    },
    {
      name: 'cron',
      title: 'Applying the jobs',
      ...deferred(async () => cron.schedule(host, await target())),
      undo: async () => cron.schedule(host, await recorded()).apply(),
    },
    {
      name: 'record',
      title: 'Recording the site',
      effects: async () => planWriteSite(host, await target()),
      apply: async () => writeSite(host, await target()),
      decided: async () => isApplied(await recorded(), change),
    },
    {
      name: 'former pool',
      title: 'Removing pools that are no longer used',
      effects: async () => fpmRemoval.planRemoveOthers(host, await target()),
      apply: async () => fpmRemoval.removeOthers(host, await recorded()),
    },
  ]
}

function applied(site: Site, change: Change): Site {
  const { php = site.php, tier = site.tier } = change
  const { database_routines = false, xmlrpc = true, ...rest } = site
  const routines = change.database_routines ?? database_routines
  const answers = change.xmlrpc ?? xmlrpc
  return {
    ...{ ...rest, php, tier },
    ...(routines && { database_routines: true }),
    ...(!answers && { xmlrpc: false }),
  }
}

function isApplied(site: Site, change: Change): boolean {
  const target = applied(site, change)
  return isDeepStrictEqual(resultOf(site), resultOf(target))
}

async function serve(host: Host, site: Site): Promise<void> {
  await nginx.apply(host, site, await nginx.certificateOf(host, site.domain))
}

async function planServe(host: Host, site: Site) {
  return nginx.planApply(host, site, await nginx.certificateOf(host, site.domain))
}
