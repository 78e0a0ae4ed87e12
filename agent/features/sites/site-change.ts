import { isDeepStrictEqual } from 'node:util'
import * as shell from '#agent/features/access/shell/shell.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import { recorderSteps } from '#agent/features/jobs/cron/recorder.ts'
import { applyInstance, applyInstanceQuietly } from '#agent/features/object-cache/instance.ts'
import { objectCacheSteps } from '#agent/features/object-cache/programs.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import { hasOtherPhp, refuseBrokenPage } from '#agent/features/php/test-values.ts'
import { allSitesSteps } from '#agent/features/servers/all-sites.ts'
import { provisionSteps } from '#agent/features/servers/provision/provision.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { purgePluginSteps } from '#agent/features/web/purge-plugin.ts'
import { connectionSteps } from '#agent/kernel/database/connections.ts'
import * as mariadb from '#agent/kernel/database/mariadb.ts'
import { deferred, inOrder } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { quotaPackageSteps } from '#agent/kernel/packages/packages.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { findSite, getSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { sharedEtcSteps } from '#agent/kernel/site-etc/shared.ts'
import {
  andThen,
  line,
  type Progress,
  ready,
  type Step,
  type StepList,
  type Warn,
} from '#agent/kernel/steps/command.ts'
import { limitDisk, quotaSteps } from '#agent/kernel/users/quota.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { beyondTier } from '#shared/sites/site-settings.ts'

interface ChangeContext {
  host: Host
  site: Site
  warn: Warn
}

/** A change of the record of a site, and of everything that follows from it. */
export interface SiteChange {
  domain: string
  /** Returns the record after the change; applied to that record again, it returns the same. */
  into(site: Site): Site
  /** Describes the change in the log. */
  about(target: Site): string
  /** `serving` leaves PHP and the database alone, and works whatever is broken in them. */
  only?: 'serving' | undefined
  accept?: readonly string[] | undefined
}

/** Warns about a site that waits for a certificate: each change serves it without HTTPS. */
async function* warnOfMissingCertificate(
  site: Site,
  { host, warn }: ChangeContext,
): Progress<void> {
  const { domain, tls } = site
  if (tls === 'none' || (await nginx.certificateOf(host, domain))) return
  const message = `${domain} has no certificate and is served without HTTPS: issue it again`
  yield `Warning: ${message}`
  warn({ code: 'certificate_missing', message })
}

/** Warns about settings of PHP that a smaller tier bounds; they stay recorded. */
function warnOfBounds({ domain, tier, settings }: Site, { warn }: ChangeContext): void {
  const beyond = beyondTier(settings?.php_settings ?? { values: {} }, tier)
  if (beyond.length === 0) return
  const message = `The maximum of the tier applies to ${domain}: ${beyond.join(', ')}`
  warn({ code: 'php_settings_bounded', message })
}

const isChangeInPlace = (site: Site, { into }: SiteChange) => isDeepStrictEqual(into(site), site)

/** Returns everything that a change does. Throws invalid on `php` for an unknown version. */
export function changeList(change: SiteChange, on: ChangeContext): StepList {
  const { host, site } = on
  const target = change.into(site)
  return [
    ready(() => preparationSteps(host, site, change)),
    line(change.about(target)),
    andThen(() => changeSteps(change, host)),
    line(async function* () {
      if (change.only !== 'serving') yield* warnOfMissingCertificate(target, on)
      warnOfBounds(target, on)
    }),
  ]
}

async function preparationSteps(host: Host, site: Site, change: SiteChange): Promise<Step[]> {
  if (change.only === 'serving') return []
  const target = change.into(site)
  const steps =
    target.php === site.php
      ? [
          ...(await quotaPackageSteps(host)),
          ...(await allSitesSteps(host)),
          ...(await sharedEtcSteps(host)),
          ...(await recorderSteps(host)),
        ]
      : await provisionSteps(host, [target.php], 'php', { accept: change.accept })
  return [
    ...steps,
    ...(await connectionSteps(host, target)),
    ...(await objectCacheSteps(host, target)),
  ]
}

/** The record decides: until it is written every undo restores the old state. */
async function changeSteps(change: SiteChange, host: Host): Promise<Step[]> {
  if (change.only === 'serving') {
    const objects = await suspendedCacheSteps(change, host)
    return [...objects, ...(await purgePluginSteps(change, host)), ...servingSteps(change, host)]
  }
  const recorded = () => getSite(host, change.domain)
  const target = async () => change.into(await recorded())
  return [
    ...(await trialSteps(change, host)),
    {
      name: 'pool',
      title: 'Applying the PHP pool',
      ...deferred(async () => fpm.apply(host, await target())),
      async undo() {
        const site = await recorded()
        await fpm.apply(host, site).apply()
        await fpmRemoval.removeOtherPools(host, site).apply()
      },
    },
    {
      name: 'database account',
      title: 'Applying the rights and limits of the database account',
      ...deferred(async () => mariadb.applyAccount(host, await target())),
      undo: async () => mariadb.applyAccount(host, await recorded()).apply(),
    },
    ...(await quotaSteps(host, target, async () => {
      await limitDisk(host, await recorded())
    })),
    ...(await purgePluginSteps(change, host)),
    ...servingSteps(change, host),
    {
      name: 'former pool',
      title: 'Removing pools that are no longer used',
      ...deferred(async () => fpmRemoval.removeOtherPools(host, await target())),
    },
  ]
}

function servingSteps(change: SiteChange, host: Host): Step[] {
  const recorded = () => getSite(host, change.domain)
  const target = async () => change.into(await recorded())
  return [
    {
      name: 'vhost',
      title: 'Applying the virtual host',
      ...deferred(async () => nginx.serve(host, await target())),
      undo: async () => nginx.serve(host, await recorded()).apply(),
    },
    {
      name: 'cron',
      title: 'Applying the jobs',
      ...deferred(async () => scheduled(host, await target())),
      undo: async () => scheduled(host, await recorded()).apply(),
    },
    {
      name: 'record',
      title: 'Recording the site',
      ...deferred(async () => siteRecord(host, await target())),
      decided: async () => isChangeInPlace(await recorded(), change),
    },
  ]
}

const scheduled = (host: Host, site: Site) =>
  inOrder(cron.scheduleJobs(host, site), shell.shellRewritten(host, site))

/** Tests the new values of PHP before visitors meet them. */
async function trialSteps({ domain, into }: SiteChange, host: Host): Promise<Step[]> {
  const site = await getSite(host, domain)
  const target = into(site)
  const hasOther = () => hasOtherPhp(host, site, target)
  if (!(await servicesOf(host).units(hasOther, false))) return []
  return [
    {
      name: 'trial',
      title: `Trying the front page with PHP ${target.php} and its new values`,
      effects: [run('program', `php-fpm${target.php}`)],
      apply: () => refuseBrokenPage(host, site, target),
    },
  ]
}

interface SuspendedChange {
  domain: string
  into(site: Site): Site
}

/** Removes the object cache of a suspended site; other changes apply it together with PHP. */
async function suspendedCacheSteps(change: SuspendedChange, host: Host): Promise<Step[]> {
  if (!(await findSite(host, change.domain))?.object_cache) return []
  const recorded = () => getSite(host, change.domain)
  const target = async () => change.into(await recorded())
  return [
    {
      name: 'object cache',
      title: 'Applying the object cache',
      effects: async () => applyInstance(host, await target()).effects(),
      async *apply() {
        try {
          await applyInstance(host, await target()).apply()
        } catch (error) {
          yield `Warning: the object cache was not changed: ${messageOf(error)}`
        }
      },
      undo: async () => applyInstanceQuietly(host.steady ?? host, await recorded()),
    },
  ]
}
