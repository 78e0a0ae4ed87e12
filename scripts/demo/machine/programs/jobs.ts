import type { Output } from '#agent/host/ports.ts'
import { lastOf, printed } from '#agent/host/simulated/programs/output.ts'
import { canaryJob } from '#scripts/demo/machine/canary.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { reports } from './journal.ts'

const PRINTED = 'Success: The job has run.\n'
const JOB = /^hosting-job@(.+):(.+)\.service$/
const CANARY = /^canary-a/

const runsPath = (unit: string) => `/run/demo-jobs/${unit}`
const runsOf = ({ disk }: Machine, unit: string): number[] =>
  JSON.parse(disk.text(runsPath(unit)) ?? '[]')

/** A cron job of a site runs when it is started, and succeeds at once. */
export function runJob(machine: Machine, unit: string): void {
  const [, user = ''] = JOB.exec(unit) ?? []
  if (user === '') return
  if (CANARY.test(user)) canaryJob(machine, user)
  const runs = [...runsOf(machine, unit), machine.time.now()]
  machine.disk.putText(runsPath(unit), JSON.stringify(runs))
}

/** The messages of systemd about a cron job, or what it printed since a time. */
export function jobJournal(machine: Machine, argv: readonly string[]): Output | undefined {
  const unit = lastOf(argv).replace(/^_?(SYSTEMD_)?UNIT=/, '')
  if (!JOB.test(unit)) return undefined
  const runs = runsOf(machine, unit)
  if (argv.includes('_PID=1')) {
    const entries = runs.flatMap((started) => reports(started, false))
    return printed(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  }
  const since = argv.find((word) => word.startsWith('--since=@'))?.slice('--since=@'.length)
  return printed(PRINTED.repeat(runs.filter((at) => at >= Number(since) * 1000 - 1).length))
}

/** The events of a WordPress: those that each one has. */
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
