import { sendmailPath } from '#agent/features/mail/sendmail.ts'
import { wpCliEnvironment } from '#agent/features/wordpress/wp-cli.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { launcherOf, resourceLimits } from '#agent/kernel/sandbox/launcher.ts'
import { sandboxOf } from '#agent/kernel/sandbox/sandbox.ts'
import { sliceOf, UNITS } from '#agent/kernel/services/systemd.ts'
import {
  docrootOf,
  homeOf,
  jobRunsOf,
  jobsLogOf,
  logsOf,
  WP_CLI,
} from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { crontab } from '#shared/kernel/formats/cron.ts'
import { execWord, unit } from '#shared/kernel/formats/systemd.ts'
import { JOB_RUNNER } from './job-runner.ts'
import { RECORDER } from './recorder.ts'

const EVERY = 5
/** The maximum duration of a run. */
const SECONDS = 240
const MEMORY = 640

export const TIMER_WANTS = `${UNITS}/timers.target.wants`
export const serviceUnitOf = (user: string) => `hosting-cron@${user}.service`
export const timerUnitOf = (user: string) => `hosting-cron@${user}.timer`
export const servicePathOf = (user: string) => `${UNITS}/${serviceUnitOf(user)}`
export const timerPathOf = (user: string) => `${UNITS}/${timerUnitOf(user)}`
export const timerWantsOf = (user: string) => `${TIMER_WANTS}/${timerUnitOf(user)}`
/** The path of the table of cron(8), where systemd does not run. */
export const crontabOf = (user: string) => `/etc/cron.d/hosting-${user}`

type JobSite = Pick<Site, 'domain' | 'user' | 'php' | 'staging'>

/** Returns an offset that is constant for each site, and spread over all sites. */
const offsetOf = ({ domain }: Pick<JobSite, 'domain'>): number =>
  [...domain].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % EVERY

/** Returns the next run after a time, in milliseconds; time zones differ by five minutes. */
export function nextRunAfter(site: Pick<JobSite, 'domain'>, after: number): number {
  const [turn, offset] = [EVERY * 60_000, offsetOf(site) * 60_000]
  return Math.floor((after - offset) / turn + 1) * turn + offset
}

const environmentOf = (jobs: JobSite): [string, string][] => [
  ['HOME', homeOf(jobs.user)],
  ['PATH', '/usr/local/bin:/usr/bin:/bin'],
  ...Object.entries(wpCliEnvironment(jobs)),
]

const mailOf = ({ user, php }: JobSite) => `sendmail_path=${sendmailPath({ user, php })}`
const RUN = unit.part`cron event run --due-now --quiet`

/**
 * Renders one run of WordPress's jobs, confined like the PHP of the site. It ends after four
 * minutes with its child processes. Its output is in a log of the site.
 */
export function renderService(jobs: JobSite): string {
  const variables = environmentOf(jobs).map(([name, value]) => unit`Environment=${name}=${value}`)
  return unit`# ${MARK_LINE}
[Unit]
Description=WordPress jobs of ${jobs.user}
After=mariadb.service

[Service]
Type=oneshot
Slice=${sliceOf(jobs.user)}
${variables.join('\n')}
ExecStart=/usr/bin/php${jobs.php} -n ${JOB_RUNNER} ${jobsLogOf(jobs.user)} /usr/bin/php${jobs.php} -d memory_limit=512M -d ${execWord(mailOf(jobs))} ${WP_CLI} --path=${docrootOf(jobs.user)} ${RUN}
TimeoutStartSec=${SECONDS}
TimeoutStopSec=10
KillMode=control-group
Nice=5
UMask=0027
MemoryMax=${MEMORY}M
TasksMax=64
StandardInput=null
StandardOutput=null
StandardError=null
${sandboxOf(jobs.user).join('\n')}
`
}

/** Renders the timer without a limit for starts: each change of a site starts it again. */
export function renderTimer(jobs: JobSite): string {
  return unit`# ${MARK_LINE}
[Unit]
Description=WordPress jobs of ${jobs.user}, every ${EVERY} minutes
StartLimitIntervalSec=0

[Timer]
OnCalendar=*:${offsetOf(jobs)}/${EVERY}
AccuracySec=10s

[Install]
WantedBy=timers.target
`
}

/**
 * Uses flock(1) and timeout(1): hanging jobs do not accumulate, and the lock belongs to root.
 * Programs have short names, because cron ignores a file whose line has more than 999 characters.
 */
export function renderCrontab(jobs: JobSite): string {
  const variables = environmentOf(jobs).map(([name, value]) => `${name}=${value}`)
  const words = [
    'flock',
    '-n',
    `${logsOf(jobs.user)}/jobs.lock`,
    `php${jobs.php}`,
    '-n',
    RECORDER,
    jobRunsOf(jobs.user),
    'timeout',
    '-k',
    '10',
    String(SECONDS),
    ...launcherOf({ user: jobs.user, limits: resourceLimits(MEMORY) }),
    'env',
    '-i',
    ...variables,
    `/usr/bin/php${jobs.php}`,
    '-d',
    'memory_limit=512M',
  ]
  return crontab`# ${MARK_LINE}
MAILTO=""
PATH=/usr/sbin:/usr/bin:/sbin:/bin
${offsetOf(jobs)}-59/${EVERY} * * * * root ${words} -d "${mailOf(jobs).split(' ')}" ${WP_CLI} --path=${docrootOf(jobs.user)} ${RUN} >/dev/null 2>&1
`
}
