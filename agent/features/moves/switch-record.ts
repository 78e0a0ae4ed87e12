import { withoutAccess } from '#agent/features/access/access.ts'
import { openLogins } from '#agent/features/access/closing.ts'
import { endSessions } from '#agent/features/access/sessions.ts'
import { releaseJobs } from '#agent/features/backups/hold.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import { thaw } from '#agent/features/web/freeze.ts'
import { availablePath, isFrozen, servingPathOf } from '#agent/features/web/vhost-files.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, removeSite, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Moving } from '#shared/moves/moving.ts'
import { pin, serve } from './switch-steps.ts'
import { forgetThaw, stopThaw } from './thaw-unit.ts'

/**
 * The record decides: before it the site thaws, and after it this server only forwards. A site
 * that has thawed meanwhile cannot be handed over, because it may have changed.
 */
export function partedSteps(host: Host, site: Site, moving: Moving, certificate: string): Step[] {
  const { domain, user } = site
  const next: Site = { ...site, moving }
  const steady = host.steady ?? host
  const isOpen = !site.moving?.closed && !site.moving?.parted
  return [
    {
      name: 'hold',
      title: `Checking that ${domain} is still frozen`,
      effects: [],
      async apply() {
        if (!isOpen) return
        await stopThaw(host, site)
        if (await isFrozen(host, domain)) return
        throw conflict(`${domain} is not frozen any more: the move took too long`)
      },
      async undo() {
        if (!isOpen) return
        await thaw(steady, domain)
        await openLogins(steady, site)
        await forgetThaw(steady, site).apply()
        await releaseJobs(steady, user).apply()
      },
    },
    {
      name: 'record',
      title: `Handing over ${domain}`,
      effects: [],
      async apply() {
        if (certificate !== '') await pin(host, domain, certificate)
        await writeSite(host, next, 'moved')
      },
      decided: async () => (await findSite(host, domain, 'moved')) !== undefined,
    },
    {
      name: 'vhost',
      title: 'Forwarding all requests',
      effects: [change('file', availablePath(domain))],
      async apply() {
        await host.files.remove(servingPathOf(domain))
        await serve(host, next)
        await removeSite(host, domain, 'sites').apply()
      },
    },
    {
      name: 'pool',
      title: 'Stopping PHP and the jobs',
      effects: fpmRemoval.removeAll(host, site).effects,
      async apply() {
        await forgetThaw(host, site).apply()
        await cron.unschedule(host, user).apply()
        await withoutAccess(host, user).apply()
        if (site.access ?? site.clients) await endSessions(host, user)
        await fpmRemoval.removeAll(host, site).apply()
      },
    },
  ]
}

/**
 * The copy that only forwarded serves the other server again; the end of its old record decides.
 * Nobody can log in: who may was perhaps changed on the other server, and is set afterwards.
 */
export function arrivingSteps(host: Host, site: Site, moving: Moving): Step[] {
  const { domain } = site
  const { access: _, clients: __, ...facts } = site
  const next: Site = { ...facts, moving }
  const steady = host.steady ?? host
  return [
    {
      name: 'pool',
      title: `Starting PHP ${site.php}`,
      ...fpm.apply(host, next),
      undo: fpmRemoval.removeAll(steady, site).apply,
    },
    {
      name: 'vhost',
      title: 'Forwarding visitors to the other server',
      effects: [change('file', availablePath(domain))],
      async apply() {
        await writeSite(host, next)
        await serve(host, next)
      },
      async undo() {
        await serve(steady, site)
        await removeSite(steady, domain, 'sites').apply()
      },
    },
    {
      name: 'record',
      title: 'Recording the site',
      ...removeSite(host, domain, 'moved'),
      decided: async () => (await findSite(host, domain, 'moved')) === undefined,
    },
  ]
}
