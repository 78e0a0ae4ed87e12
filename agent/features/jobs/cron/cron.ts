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
import { type GeneratedFile, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf } from '#agent/kernel/services/index.ts'
import { fpmLogOf, logrotatePath, logsOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
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
import { applyOwnJobs, removeOwnJobs } from './own-jobs.ts'

/**
 * Runs WordPress's own jobs every five minutes, offset by site, and the cron jobs by their
 * schedule, and rotates the logs. A suspended site has no jobs; neither has a staging site or the
 * closed copy of a move, which would send the mails and renew the subscriptions of the live site.
 */
export const scheduleJobs = (host: Host, site: Site): Change =>
  inOrder(scheduleWordpress(host, site), scheduleOwnJobs(host, site))

/** Applies the cron jobs of the site. */
export const scheduleOwnJobs = (host: Host, site: Site): Change =>
  jobsStopReason(site) === null ? applyOwnJobs(host, site) : removeOwnJobs(host, site.user)

function scheduleWordpress(host: Host, site: Site): Change {
  const { user } = site
  const files = generated(host, filesOf(host, site))
  if (jobsStopReason(site) !== null) return inOrder(withoutJobs(host, user), files)
  return formOf(host, { systemd: withTimer(host, user, files), direct: files })
}

function withTimer(host: Host, user: string, files: Change): Change {
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

/** Returns why a site has no jobs; null if it has them. */
export function jobsStopReason({
  staging,
  suspended,
  moving,
}: Site): 'staging' | 'suspended' | 'moving' | null {
  if (staging) return 'staging'
  if (suspended) return 'suspended'
  return moving?.closed ? 'moving' : null
}

function filesOf(host: Host, site: Site): GeneratedFile[] {
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
    ...(jobsStopReason(site) === null ? jobs : []),
    { path: logrotatePath(user), text: renderLogrotate(user) },
  ]
}

/** Removes all jobs, and ends a current run with its child processes. */
/** Schedules the jobs of a site that has none yet. */
export const scheduleStep = (host: Host, site: Site): Step => ({
  name: 'cron',
  title: 'Scheduling the jobs of WordPress',
  ...scheduleJobs(host, site),
  undo: unscheduleJobs(host, site.user).apply,
})

export const unscheduleJobs = (host: Host, user: string): Change =>
  inOrder(withoutJobs(host, user, logrotatePath(user)), removeOwnJobs(host, user))

function withoutJobs(host: Host, user: string, ...others: readonly string[]): Change {
  // Removes the timer last: a repeated removal stops it only while its file exists.
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
 * Renders the rotation of the logs that nginx and PHP-FPM write. Those in the folder of the site are
 * rotated by a program of the site (features/logs/rotate.ts): root reads nothing there, and no file
 * of a site delays logrotate(8).
 */
const renderLogrotate = (user: string) => logrotate`# ${MARK_LINE}
${logsOf(user)}/access.log ${logsOf(user)}/error.log ${fpmLogOf(user)} {
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
