import type { Output } from '#agent/kernel/host/ports.ts'
import { lastOf, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'

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
  const entries = runsOf(machine, user).flatMap(({ started, fails }) => reports(started, fails))
  return printed(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
}

/** Returns what those runs have logged. */
export const wordpressLog = (machine: Machine, user: string): string[] =>
  runsOf(machine, user).flatMap(({ started, fails }) =>
    fails ? [logged(started, NO_DATABASE, 800)] : [],
  )

/** Returns a line of the log of jobs. */
export const logged = (started: number, text: string, after = 0): string =>
  `${new Date(started + after).toISOString()} ${invocation(started)} ${text}\n`

function runsOf(machine: Machine, user: string): { started: number; fails: boolean }[] {
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

export function reports(started: number, fails: boolean): object[] {
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
