import { closeLoginsSteps, openLogins } from '#agent/features/access/login-closing.ts'
import { pauseJobs, resumeJobs } from '#agent/features/backups/pause-jobs.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import { serviceUnitOf } from '#agent/features/jobs/cron/files.ts'
import { isTimer, jobUnits } from '#agent/features/jobs/cron/own-files.ts'
import { connectionInodes } from '#agent/features/php/fpm-requests.ts'
import { putToSleep } from '#agent/features/php/fpm-sleep.ts'
import { freeze, unfreeze } from '#agent/features/web/freeze.ts'
import { TEST_ANSWER, TEST_PATH } from '#agent/features/web/move-locations.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { availablePath, peerCertificateOf } from '#agent/features/web/vhost-files.ts'
import { endTemporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { isSelfSigned } from '#agent/kernel/site/certificate-files.ts'
import { type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Moving } from '#shared/moves/moving.ts'
import { forgetCopyState } from './copy-state.ts'
import { unfreezeTimerRemoved, unfreezeTimerStarted } from './freeze-timer.ts'

const SECRET = { mode: 0o600 }

/**
 * Applies the virtual host of a state, and the jobs, which run unless the site is closed. The
 * record decides: until it is written, every undo restores its state.
 */
export function servingSteps(
  host: Host,
  site: Site,
  moving: Moving | undefined,
  certificate = '',
): Step[] {
  const { moving: _, ...usual } = site
  const next: Site = moving ? { ...usual, moving } : usual
  const steady = host.steady ?? host
  return [
    {
      name: 'vhost',
      title: `Changing the virtual host of ${site.domain}`,
      effects: [change('file', availablePath(site.domain))],
      async apply() {
        await storePeerCertificate(host, site.domain, certificate)
        if (!moving?.closed) await forgetCopyState(host, site.user)
        await serve(host, next)
      },
      undo: () => serve(steady, site),
    },
    {
      name: 'cron',
      title: 'Scheduling the jobs of WordPress',
      ...cron.scheduleJobs(host, next),
      undo: cron.scheduleJobs(steady, site).apply,
    },
    recordStep(host, next, 'sites'),
  ]
}

export const recordStep = (host: Host, next: Site, folder: 'sites' | 'moved'): Step => ({
  name: 'record',
  title: `Recording the state of ${next.domain}`,
  ...siteRecord(host, next, folder),
  decided: async () => (await siteRecord(host, next, folder).effects()).length === 0,
})

export const serve = (host: Host, site: Site): Promise<void> => nginx.serve(host, site).apply()

/** Stores the certificate of the other server if no authority has signed it. */
export async function storePeerCertificate(
  host: Host,
  domain: string,
  certificate: string,
): Promise<void> {
  const path = peerCertificateOf(domain)
  if (isSelfSigned(certificate)) await host.files.write(path, certificate, SECRET)
  else await host.files.remove(path)
}

/** Starts the timer that ends the freeze before the freeze. */
export function freezeSteps(host: Host, site: Site): Step[] {
  const { domain, user } = site
  const steady = host.steady ?? host
  return [
    {
      name: 'trial',
      title: 'Checking the connection to the other server',
      effects: [],
      apply: () => proveForwarding(host, site),
    },
    {
      name: 'end',
      title: 'Limiting the freeze',
      ...unfreezeTimerStarted(host, site),
      undo: unfreezeTimerRemoved(steady, site).apply,
    },
    {
      name: 'jobs',
      title: `Pausing the jobs of ${domain}`,
      ...pauseJobs(host, user),
      undo: resumeJobs(steady, user).apply,
    },
    {
      name: 'freeze',
      title: `Freezing ${domain}`,
      effects: [change('file', availablePath(domain))],
      async apply() {
        await freeze(host, site)
        const served = await nginx.certificateOf(host, domain)
        await awaitFrozen(host, domain, served !== undefined)
      },
      undo: () => unfreeze(steady, domain),
    },
    ...closeLoginsSteps(host, site),
    {
      name: 'drain',
      title: 'Waiting for running requests and jobs',
      effects: [run('stop', 'PHP')],
      apply: () => drain(host, site),
    },
  ]
}

/** Requests the test path through nginx, as every request after the switch. */
async function proveForwarding(host: Host, { domain, moving }: Site): Promise<void> {
  if (!moving?.challenges) return
  const tls = (await nginx.certificateOf(host, domain)) !== undefined
  const { status, body } = await host.net.probe({ host: domain, path: TEST_PATH, tls })
  if (status === 200 && body.trim() === TEST_ANSWER) return
  const way = tls ? 'over TLS' : 'over HTTP'
  throw conflict(`The other server does not answer ${way} as it should (status ${status})`)
}

export const unfreezeSteps = (host: Host, site: Site): Step[] => [
  {
    name: 'thaw',
    title: `Ending the freeze of ${site.domain}`,
    effects: [change('file', availablePath(site.domain))],
    async apply() {
      await unfreeze(host, site.domain)
      await openLogins(host, site)
      await unfreezeTimerRemoved(host, site).apply()
      await resumeJobs(host, site.user).apply()
    },
  },
]

const MAX_WAIT_MS = 20_000
const PAUSE_MS = 50

/**
 * Waits until every visitor gets the answer 503: nginx applies a new configuration after a moment.
 * The path is one that a site answers also while it shows its maintenance page, with 503.
 */
async function awaitFrozen(host: Host, domain: string, tls: boolean): Promise<void> {
  const end = host.clock.elapsed() + MAX_WAIT_MS
  for (;;) {
    const { status } = await host.net.probe({ host: domain, path: TEST_PATH, tls })
    if (status === 503) return
    if (host.clock.elapsed() > end) throw new Error(`${domain} still answers ${status}`)
    await host.clock.sleep(PAUSE_MS)
  }
}

/**
 * Waits for running requests and jobs, and ends those that take too long. Then it stops PHP: a
 * request that was answered may still work in the background. Temporary users of the database end.
 * The next request after a freeze starts PHP.
 */
async function drain(host: Host, { user, php }: Site): Promise<void> {
  const end = host.clock.elapsed() + MAX_WAIT_MS
  while ((await isBusy(host, { user, php })) && host.clock.elapsed() < end) {
    await host.clock.sleep(PAUSE_MS)
  }
  await host.shell.try(['systemctl', 'stop', ...(await servicesOf(host, user))])
  await putToSleep(host, { user, php })
  await endTemporaryOf(host, user)
}

async function isBusy(host: Host, pool: Pick<Site, 'user' | 'php'>): Promise<boolean> {
  if ((await connectionInodes(host, pool)).size > 0) return true
  const jobs = await servicesOf(host, pool.user)
  const states = await propertiesOf(host, jobs, ['ActiveState'])
  return jobs.some((unit) => ACTIVE_STATES.includes(states.get(unit)?.ActiveState ?? ''))
}

const ACTIVE_STATES = ['activating', 'active', 'deactivating']

const servicesOf = async (host: Host, user: string): Promise<string[]> => [
  serviceUnitOf(user),
  ...(await jobUnits(host, user)).filter((unit) => !isTimer(unit)),
]
