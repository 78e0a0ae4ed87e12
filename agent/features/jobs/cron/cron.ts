import {
  type Change,
  folder,
  generated,
  inOrder,
  linked,
  removed,
  removedGenerated,
} from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import { type Generated, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { logrotatePath, logsOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { logrotate } from '#shared/kernel/formats/cron.ts'
import { LOG_ROTATIONS, MAX_LOG_BYTES } from '#shared/logs/site-logs.ts'
import {
  crontabOf,
  renderCrontab,
  renderService,
  renderTimer,
  servicePathOf,
  serviceUnitOf,
  TIMER_WANTS,
  timerPathOf,
  timerUnitOf,
  timerWantsOf,
} from './files.ts'
import { JOB_RUNNER_FILE } from './job-runner.ts'
import { applyOwn, removeOwn } from './own-jobs.ts'

/**
 * Runs WordPress's own jobs every five minutes, offset by site, those that the user set by their
 * schedule, and rotates its logs. A suspended site
 * has no jobs, nor has a staging site: it would send the mails and renew the subscriptions of the live
 * site. So would the closed copy of a site that moves.
 */
export const schedule = (host: Host, site: Site): Change =>
  inOrder(scheduleWordpress(host, site), scheduleOwn(host, site))

/** The jobs that the user set. */
export const scheduleOwn = (host: Host, site: Site): Change =>
  stopOf(site) === null ? applyOwn(host, site) : removeOwn(host, site.user)

function scheduleWordpress(host: Host, site: Site): Change {
  const { user } = site
  const files = generated(host, filesOf(host, site))
  if (stopOf(site) !== null) return inOrder(withoutJobs(host, user), files)
  return formOf(host, { systemd: timed(host, user, files), direct: files })
}

function timed(host: Host, user: string, files: Change): Change {
  const all = inOrder(
    files,
    folder(host, TIMER_WANTS),
    linked(host, timerPathOf(user), timerWantsOf(user)),
  )
  return {
    effects: async () => [...(await all.effects()), run('restart', timerUnitOf(user))],
    async apply() {
      const known = await host.files.stat(timerPathOf(user))
      await all.apply()
      // systemd loads a new unit by itself.
      if (known) await host.shell.run(['systemctl', 'daemon-reload'])
      await host.shell.run(['systemctl', 'restart', timerUnitOf(user)])
    },
  }
}

/** Why a site has no jobs; null: it has them. */
export function stopOf({
  staging,
  suspended,
  moving,
}: Site): 'staging' | 'suspended' | 'moving' | null {
  if (staging) return 'staging'
  if (suspended) return 'suspended'
  return moving?.closed ? 'moving' : null
}

function filesOf(host: Host, site: Site): Generated[] {
  const { user } = site
  const jobs = formOf(host, {
    systemd: [
      JOB_RUNNER_FILE,
      { path: servicePathOf(user), text: renderService(site) },
      { path: timerPathOf(user), text: renderTimer(site) },
    ],
    direct: [{ path: crontabOf(user), text: renderCrontab(site) }],
  })
  return [
    ...(stopOf(site) === null ? jobs : []),
    { path: logrotatePath(user), text: renderLogrotate(user) },
  ]
}

/** Ends a current run, with its child processes. */
export const unschedule = (host: Host, user: string): Change =>
  inOrder(withoutJobs(host, user, logrotatePath(user)), removeOwn(host, user))

function withoutJobs(host: Host, user: string, ...others: readonly string[]): Change {
  // The timer last: a repeated removal stops it only while its file exists.
  const paths = [crontabOf(user), ...others, servicePathOf(user), timerPathOf(user)]
  const all = inOrder(removed(host, 'link', timerWantsOf(user)), removedGenerated(host, ...paths))
  return {
    effects: all.effects,
    async apply() {
      if (await host.files.stat(timerPathOf(user))) {
        const units = [timerUnitOf(user), serviceUnitOf(user)]
        await host.shell.run(['systemctl', 'stop', ...units])
        await host.shell.try(['systemctl', 'reset-failed', ...units])
      }
      await all.apply()
    },
  }
}

/**
 * Rotates the logs that nginx writes. Those in the folder of the site are rotated by a program of the site
 * (features/logs/rotate.ts): root reads nothing there, and no file of a site delays logrotate(8).
 */
const renderLogrotate = (user: string) => logrotate`# ${MARK_LINE}
${logsOf(user)}/access.log ${logsOf(user)}/error.log {
    weekly
    maxsize ${MAX_LOG_BYTES >> 20}M
    rotate ${LOG_ROTATIONS}
    compress
    missingok
    notifempty
    su root www-data
    copytruncate
}
`
