import { withoutAccess } from '#agent/features/access/access.ts'
import { openLogins } from '#agent/features/access/login-closing.ts'
import { endSessions } from '#agent/features/access/sessions.ts'
import { resumeJobs } from '#agent/features/backups/pause-jobs.ts'
import { restoreCertificate } from '#agent/features/domains/change-certificate.ts'
import { ensureCertificate } from '#agent/features/domains/ensure-certificate.ts'
import { certificateTextOf } from '#agent/features/domains/served-certificate.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import { unfreeze } from '#agent/features/web/freeze.ts'
import { availablePath, isFrozen, servingPathOf } from '#agent/features/web/vhost-files.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, removeSite, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { command, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { omit } from '#shared/kernel/omit.ts'
import type { Moving, Switch } from '#shared/moves/moving.ts'
import { isPartlyUpdated } from './catch-up.ts'
import { stopUnfreezeTimer, unfreezeTimerRemoved } from './freeze-timer.ts'
import {
  freezeSteps,
  recordStep,
  serve,
  servingSteps,
  storePeerCertificate,
  unfreezeSteps,
} from './switch-steps.ts'

type SwitchParams = ParamsOf<'site.switch'>

/** Changes how the server serves one side of a move: each state is a call of its own. */
export const siteSwitch = command('site.switch', {
  lock: onSite.lock,
  check: async (params, host) => ({ site: await checked(host, params) }),
  async find(params, host) {
    const site = await findEither(host, params)
    return site && { site }
  },
  steps: ({ params, host, site }) => stepsOf(host, site, params),
  async *unfinished(reason) {
    yield `Warning: ${reason}`
  },
  async result({ host, site: { domain } }) {
    return { domain, certificate: await certificateTextOf(host, domain) }
  },
})

/** Finds the site in both folders: an interruption may leave it in either. */
async function findEither(host: Host, { domain, state }: SwitchParams): Promise<Site | undefined> {
  const [served, gone] = [await findSite(host, domain), await findSite(host, domain, 'moved')]
  return state === 'parted' ? (served ?? gone) : (gone ?? served)
}

const STATES: Record<Switch, (site: Site) => boolean> = {
  leaving: ({ moving }) => !moving?.closed && !moving?.parted,
  frozen: ({ moving }) => !moving?.closed && !moving?.parted,
  parted: () => true,
  returning: ({ moving }) => moving?.parted === true,
  arriving: ({ moving }) => moving?.parted === true,
  arrived: ({ moving }) => !moving?.parted,
  settled: ({ moving }) => !moving?.parted,
}

const NEED_PEER: Switch[] = ['leaving', 'parted', 'returning', 'arriving']

/** Throws conflict in a state that does not lead to the requested one. */
async function checked(host: Host, params: SwitchParams): Promise<Site> {
  const { domain, state, peers } = params
  const site = await findEither(host, params)
  if (!site) throw notFound(`Site ${domain}`)
  if (!STATES[state](site)) throw conflict(`${domain} cannot become ${state} on this server`)
  if (NEED_PEER.includes(state) && peers.length === 0)
    throw conflict('The address of the other server is missing')
  if (state === 'arriving') await refusePartlyUpdated(host, site)
  return site
}

function stepsOf(host: Host, site: Site, params: SwitchParams): Step[] {
  const { peers, challenges, certificate, state } = params
  const [to] = peers
  const { from } = site.moving ?? {}
  switch (state) {
    case 'leaving':
      return servingSteps(host, site, { ...(from && { from }), to, challenges }, certificate)
    case 'frozen':
      return freezeSteps(host, site)
    case 'parted':
      return partedSteps(host, site, { to, challenges, parted: true }, certificate)
    case 'returning':
      return returningSteps(host, site, { to, parted: true, from: peers }, certificate)
    case 'arriving':
      return arrivingSteps(host, site, { from: peers, closed: true })
    case 'arrived':
      return [...unfreezeSteps(host, site), ...servingSteps(host, site, { from: peers })]
    case 'settled':
      return [...unfreezeSteps(host, site), ...servingSteps(host, site, undefined)]
  }
}

/** Throws conflict for a copy whose parts are of different times. */
async function refusePartlyUpdated(host: Host, site: Site): Promise<void> {
  if (!(await isPartlyUpdated(host, site))) return
  throw conflict(`The copy of ${site.domain} is incomplete: move the site back with its changes`)
}

/** Prepares a copy that only forwards to serve again, while it forwards. */
function returningSteps(host: Host, site: Site, moving: Moving, certificate: string): Step[] {
  const { domain } = site
  const next: Site = { ...site, moving }
  const steady = host.steady ?? host
  return [
    {
      name: 'vhost',
      title: `Forwarding ${domain} until it moves back`,
      effects: [change('file', availablePath(domain))],
      async apply() {
        if (certificate !== '') await storePeerCertificate(host, domain, certificate)
        await serve(host, next)
      },
      undo: () => serve(steady, site),
    },
    {
      name: 'certificate',
      title: `Checking the certificate of ${domain}`,
      effects: [change('certificate', domain)],
      async *apply() {
        const refused = yield* ensureCertificate(host, next)
        if (refused !== undefined) yield `Warning: no new certificate: ${refused}`
      },
      undo: () => restoreCertificate(steady, domain),
    },
    recordStep(host, next, 'moved'),
  ]
}

/**
 * The record decides: before it the site is unfrozen, and after it this server only forwards. A
 * site that was unfrozen meanwhile cannot be handed over, because it may have changed.
 */
function partedSteps(host: Host, site: Site, moving: Moving, certificate: string): Step[] {
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
        await stopUnfreezeTimer(host, site)
        if (await isFrozen(host, domain)) return
        throw conflict(`${domain} is not frozen any more: the move took too long`)
      },
      async undo() {
        if (!isOpen) return
        await unfreeze(steady, domain)
        await openLogins(steady, site)
        await unfreezeTimerRemoved(steady, site).apply()
        await resumeJobs(steady, user).apply()
      },
    },
    {
      name: 'record',
      title: `Handing over ${domain}`,
      effects: [],
      async apply() {
        if (certificate !== '') await storePeerCertificate(host, domain, certificate)
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
      effects: fpmRemoval.removePoolsAndSlice(host, site).effects,
      async apply() {
        await unfreezeTimerRemoved(host, site).apply()
        await cron.unscheduleJobs(host, user).apply()
        await withoutAccess(host, user).apply()
        if (site.access ?? site.clients) await endSessions(host, user)
        await fpmRemoval.removePoolsAndSlice(host, site).apply()
      },
    },
  ]
}

/**
 * Makes a copy that only forwarded serve the other server again; the end of its old record decides.
 * Nobody can log in, because access may have changed on the other server; it is set afterwards.
 */
function arrivingSteps(host: Host, site: Site, moving: Moving): Step[] {
  const { domain } = site
  const next: Site = { ...omit(site, 'access', 'clients'), moving }
  const steady = host.steady ?? host
  return [
    {
      name: 'pool',
      title: `Starting PHP ${site.php}`,
      ...fpm.apply(host, next),
      undo: fpmRemoval.removePoolsAndSlice(steady, site).apply,
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
