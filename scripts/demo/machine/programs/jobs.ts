import type { Output } from '#agent/kernel/host/ports.ts'
import { lastOf, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { canaryJob } from '#scripts/demo/machine/canary.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { logged, reports, wordpressLog } from './journal.ts'

const PRINTED = 'Success: The job has run.'
const JOB = /^hosting-job@(.+):(.+)\.service$/
const CANARY = /^canary-a/

interface Run {
  unit: string
  at: number
}

const runsPath = (user: string) => `/run/demo-jobs/${user}`
const runsOf = ({ disk }: Machine, user: string): Run[] =>
  JSON.parse(disk.text(runsPath(user)) ?? '[]')

/** A cron job of a site runs when it is started, and succeeds at once. */
export function runJob(machine: Machine, unit: string): void {
  const [, user = ''] = JOB.exec(unit) ?? []
  if (user === '') return
  if (CANARY.test(user)) canaryJob(machine, user)
  const runs = [...runsOf(machine, user), { unit, at: machine.time.now() }]
  machine.disk.putText(runsPath(user), JSON.stringify(runs))
}

/** Returns the messages of systemd about a cron job. */
export function jobJournal(machine: Machine, argv: readonly string[]): Output | undefined {
  const unit = lastOf(argv).replace(/^_?(SYSTEMD_)?UNIT=/, '')
  const [, user = ''] = JOB.exec(unit) ?? []
  if (user === '') return undefined
  if (!argv.includes('_PID=1')) return printed('')
  const runs = runsOf(machine, user).filter((run) => run.unit === unit)
  const entries = runs.flatMap(({ at }) => reports(at, false))
  return printed(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

/** Returns what the jobs of a site have logged: those of WordPress, and the others. */
export const jobLog = (machine: Machine, user: string): string =>
  [...wordpressLog(machine, user), ...runsOf(machine, user).map(({ at }) => logged(at, PRINTED))]
    .sort()
    .join('')

/** Returns the events of a WordPress: those that each one has. */
export function eventsAt(now: number): string {
  const HOUR = 3600
  const events = [
    ['wp_privacy_delete_old_export_files', 'hourly', HOUR],
    ['wp_update_plugins', 'twicedaily', 12 * HOUR],
    ['wp_scheduled_delete', 'daily', 24 * HOUR],
  ] as const
  const list = events.map(([hook, schedule, interval], at) => ({
    ...{ hook, schedule, interval },
    due_at: new Date(now + (at + 1) * 25 * 60_000).toISOString(),
  }))
  return JSON.stringify({ events: list, total: list.length, overdue: 0 })
}
