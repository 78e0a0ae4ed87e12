import type { Output } from '#agent/kernel/host/ports.ts'
import { lastOf, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { canaryJob } from '#scripts/demo/machine/canary.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'

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

/** Runs a cron job of a site when it is started; it succeeds at once. */
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

const MINUTE_MS = 60_000
const RUNS = 6
const STARTING = '7d4958e842da4a758f6c1cdc7b36dcc5'
const FINISHED = '39f53479d3a045ac8e11786248231fbf'
const FAILED = 'd9b373ed55a64feb8242e02dbe79a49c'
const EXITED = '98e322203f7a4ed290d09fe03c09fe15'
const NO_DATABASE = 'Error: Error establishing a database connection.'

/** Returns the messages about the jobs of WordPress, a run every five minutes. */
export function journalctl(machine: Machine, argv: readonly string[]): Output {
  const [, user = ''] = /^UNIT=hosting-cron@(.+)\.service$/.exec(lastOf(argv)) ?? []
  const entries = wordpressRuns(machine, user).flatMap(({ started, fails }) =>
    reports(started, fails),
  )
  return printed(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

/** Returns what those runs have logged. */
const wordpressLog = (machine: Machine, user: string): string[] =>
  wordpressRuns(machine, user).flatMap(({ started, fails }) =>
    fails ? [logged(started, NO_DATABASE, 800)] : [],
  )

/** Returns a line of the log of jobs. */
const logged = (started: number, text: string, after = 0): string =>
  `${new Date(started + after).toISOString()} ${invocation(started)} ${text}\n`

function wordpressRuns(machine: Machine, user: string): { started: number; fails: boolean }[] {
  const database = machine.databases.get(user)
  if (!database) return []
  const fails = !database.kit || database.broken
  const newest = Math.floor(machine.time.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS
  return Array.from({ length: RUNS }, (_, at) => ({
    started: newest - (RUNS - 1 - at) * 5 * MINUTE_MS,
    fails,
  }))
}

const at = (ms: number) => ({ __REALTIME_TIMESTAMP: String(Math.round(ms * 1000)) })
const invocation = (started: number) => started.toString(16).padStart(32, '0')

function reports(started: number, fails: boolean): object[] {
  const of = { INVOCATION_ID: invocation(started) }
  const end = at(started + 900 + ((started / MINUTE_MS) % 7) * 160)
  const first = { ...at(started), ...of, MESSAGE_ID: STARTING }
  if (!fails) return [first, { ...end, ...of, MESSAGE_ID: FINISHED }]
  return [
    first,
    { ...end, ...of, MESSAGE_ID: EXITED, EXIT_CODE: 'exited', EXIT_STATUS: '1' },
    { ...end, ...of, MESSAGE_ID: FAILED, UNIT_RESULT: 'exit-code' },
  ]
}
