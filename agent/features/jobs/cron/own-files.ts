import { sendmailPath } from '#agent/features/mail/sendmail.ts'
import { wpCliEnvironment } from '#agent/features/wordpress/wp-cli.ts'
import { type GeneratedFile, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sandboxOf } from '#agent/kernel/sandbox/sandbox.ts'
import { sliceOf, UNITS } from '#agent/kernel/services/systemd.ts'
import { docrootOf, homeOf, jobsLogOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { calendarOf, parseSchedule } from '#shared/jobs/cron.ts'
import type { SiteJob } from '#shared/jobs/site-jobs.ts'
import { calendarWords, environmentWord, execWord, unit } from '#shared/kernel/formats/systemd.ts'
import { TIMER_WANTS } from './files.ts'
import { JOB_PROGRAMS, JOB_RUNNER } from './job-runner.ts'

/** Returns the beginning of the names of units: no user has a colon in its name. */
const prefixOf = (user: string) => `hosting-job@${user}:`
export const jobServiceOf = (user: string, name: string) => `${prefixOf(user)}${name}.service`
export const jobTimerOf = (user: string, name: string) => `${prefixOf(user)}${name}.timer`
export const pathOfUnit = (unit: string) => `${UNITS}/${unit}`
export const wantsOfUnit = (unit: string) => `${TIMER_WANTS}/${unit}`

/** Lists the units of the jobs of a user that have a file. */
export async function jobUnits({ files }: Pick<Host, 'files'>, user: string): Promise<string[]> {
  const entries = await files.list(UNITS)
  return entries
    .filter(({ name, kind }) => kind === 'file' && name.startsWith(prefixOf(user)))
    .map(({ name }) => name)
    .sort()
}

export const isTimer = (unit: string) => unit.endsWith('.timer')

type JobOwner = Pick<Site, 'user' | 'php' | 'staging'>

/** Returns the units of a job. A disabled one has no timer, and runs on request. */
export const jobFiles = (site: JobOwner, job: SiteJob): GeneratedFile[] => [
  { path: pathOfUnit(jobServiceOf(site.user, job.name)), text: renderJobService(site, job) },
  ...(job.enabled
    ? [{ path: pathOfUnit(jobTimerOf(site.user, job.name)), text: renderJobTimer(site, job) }]
    : []),
]

/** Returns the environment of programs of the site: its PHP version, its mail, and wp-cli. */
export const environmentOf = (site: JobOwner): [string, string][] => [
  ['HOME', homeOf(site.user)],
  ['PATH', `${JOB_PROGRAMS}:/usr/local/bin:/usr/bin:/bin`],
  ['SITE_PHP', site.php],
  ['SITE_SENDMAIL', sendmailPath(site)],
  ...Object.entries(wpCliEnvironment(site)),
]

/**
 * Renders one run of a job, confined like the PHP of the site: no shell of root sees its line.
 * systemd starts no second run beside it. Its output is in a log of the site.
 */
export function renderJobService(site: JobOwner, { name, command, max_minutes }: SiteJob): string {
  const { user, php } = site
  const variables = environmentOf(site).map(
    ([variable, value]) => unit`Environment=${environmentWord(variable, value)}`,
  )
  return unit`# ${MARK_LINE}
[Unit]
Description=Job ${name} of ${user}
After=mariadb.service

[Service]
Type=oneshot
Slice=${sliceOf(user)}
${variables.join('\n')}
WorkingDirectory=${docrootOf(user)}
ExecStart=/usr/bin/php${php} -n ${JOB_RUNNER} ${jobsLogOf(user)} /bin/sh -c ${execWord(command)}
TimeoutStartSec=${max_minutes * 60}
TimeoutStopSec=10
KillMode=control-group
Nice=5
UMask=0027
MemoryMax=1024M
TasksMax=64
StandardInput=null
StandardOutput=null
StandardError=null
${sandboxOf(user).join('\n')}
`
}

/** Renders a timer in UTC like each server's; its delay spreads the jobs of the sites. */
export function renderJobTimer({ user }: JobOwner, { name, schedule }: SiteJob): string {
  const calendar = calendarOf(parseSchedule(schedule)).map(
    (line) => unit`OnCalendar=${calendarWords(line)}`,
  )
  return unit`# ${MARK_LINE}
[Unit]
Description=Job ${name} of ${user}
StartLimitIntervalSec=0

[Timer]
${calendar.join('\n')}
AccuracySec=1s
RandomizedDelaySec=10s
FixedRandomDelay=yes

[Install]
WantedBy=timers.target
`
}
