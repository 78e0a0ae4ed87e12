import { serviceUnitOf } from '#agent/features/jobs/cron/files.ts'
import { isTimer, jobUnits } from '#agent/features/jobs/cron/own-files.ts'
import { connections } from '#agent/features/php/fpm-quiet.ts'
import { putToSleep } from '#agent/features/php/fpm-sleep.ts'
import { TRIAL_PATH } from '#agent/features/web/moving.ts'
import { endTemporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

const LATEST_MS = 20_000
const PAUSE_MS = 50

/**
 * Waits until every visitor gets the answer 503: nginx applies a new configuration after a moment. The
 * path is one that a site answers also while it shows its maintenance page, with 503.
 */
export async function untilFrozen(host: Host, domain: string, tls: boolean): Promise<void> {
  const end = host.clock.elapsed() + LATEST_MS
  for (;;) {
    const { status } = await host.net.probe({ host: domain, path: TRIAL_PATH, tls })
    if (status === 503) return
    if (host.clock.elapsed() > end) throw new Error(`${domain} still answers ${status}`)
    await host.clock.sleep(PAUSE_MS)
  }
}

/**
 * Waits for running requests and jobs, and ends those that take too long. Then PHP stops: a request
 * that was answered may still work in the background. Temporary users of the database end. The next request after a thaw starts it.
 */
export async function drain(host: Host, { user, php }: Site): Promise<void> {
  const end = host.clock.elapsed() + LATEST_MS
  while ((await isBusy(host, { user, php })) && host.clock.elapsed() < end) {
    await host.clock.sleep(PAUSE_MS)
  }
  await host.shell.try(['systemctl', 'stop', ...(await servicesOf(host, user))])
  await putToSleep(host, { user, php })
  await endTemporaryOf(host, user)
}

async function isBusy(host: Host, pool: Pick<Site, 'user' | 'php'>): Promise<boolean> {
  if ((await connections(host, pool)).size > 0) return true
  const jobs = await servicesOf(host, pool.user)
  const states = await propertiesOf(host, jobs, ['ActiveState'])
  return jobs.some((unit) => BUSY.includes(states.get(unit)?.ActiveState ?? ''))
}

const BUSY = ['activating', 'active', 'deactivating']

const servicesOf = async (host: Host, user: string): Promise<string[]> => [
  serviceUnitOf(user),
  ...(await jobUnits(host, user)).filter((unit) => !isTimer(unit)),
]
