import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type AgentJobRun, MAX_JOB_RUNS } from '#shared/jobs/job-runs.ts'
import type { LastRun } from '#shared/jobs/site-jobs.ts'
import { parseJson } from '#shared/kernel/parse.ts'

/** The MESSAGE_ID of messages of systemd about a unit: systemd.journal-fields(7). */
const STARTING = '7d4958e842da4a758f6c1cdc7b36dcc5'
const FINISHED = '39f53479d3a045ac8e11786248231fbf'
const FAILED = 'd9b373ed55a64feb8242e02dbe79a49c'
const EXITED = '98e322203f7a4ed290d09fe03c09fe15'

/** A run has up to six entries of systemd. */
const MAX_ENTRIES = 6 * MAX_JOB_RUNS
const LIMIT_MS = 20_000

/** The results of a run, by the result of its unit: systemd.service(5). */
const RESULTS: Record<string, AgentJobRun['result']> = {
  timeout: 'timed_out',
  signal: 'killed',
  'core-dump': 'killed',
  'oom-kill': 'killed',
}

/** A field of the journal: a list of numbers if it is not UTF-8, and null if it is too long. */
const JournalField = z.union([z.string(), z.null(), z.array(z.number())])
const UnitEntry = z.object({
  __REALTIME_TIMESTAMP: z.string().regex(/^\d{1,17}$/),
  MESSAGE_ID: JournalField.catch('').optional(),
  INVOCATION_ID: JournalField.catch('').optional(),
  EXIT_STATUS: JournalField.catch('').optional(),
  UNIT_RESULT: JournalField.catch('').optional(),
})
type UnitEntry = z.infer<typeof UnitEntry>

/** A run, identified by its invocation id. */
export type UnitRun = LastRun & { id: string }

/** Returns the newest runs of a unit first. Messages of systemd itself have `_PID=1`. */
export async function runsOfUnit(host: Host, unit: string): Promise<UnitRun[]> {
  return [...byInvocation(await entriesOf(host, ['_PID=1', `UNIT=${unit}`]))]
    .flatMap(([id, entries]) => runOf(id, entries) ?? [])
    .reverse()
    .slice(0, MAX_JOB_RUNS)
}

function runOf(id: string, entries: readonly UnitEntry[]): UnitRun | undefined {
  const start = entries.find(({ MESSAGE_ID }) => MESSAGE_ID === STARTING)
  // The journal may have dropped the beginning of the oldest run.
  if (!start) return undefined
  const end = entries.find(({ MESSAGE_ID }) => MESSAGE_ID === FINISHED || MESSAGE_ID === FAILED)
  const exited = entries.find(({ MESSAGE_ID }) => MESSAGE_ID === EXITED)
  const status = Number(exited?.EXIT_STATUS ?? Number.NaN)
  return {
    id,
    started_at: new Date(timeOf(start)).toISOString(),
    seconds: end ? Math.max(0, timeOf(end) - timeOf(start)) / 1000 : null,
    result: resultOf(end),
    exit_status: isStatus(status) ? status : end?.MESSAGE_ID === FINISHED ? 0 : null,
  }
}

function resultOf(end: UnitEntry | undefined): AgentJobRun['result'] {
  if (!end) return 'running'
  if (end.MESSAGE_ID === FINISHED) return 'success'
  return RESULTS[String(end.UNIT_RESULT)] ?? 'failed'
}

const isStatus = (status: number) => Number.isInteger(status) && status >= 0 && status <= 255
const timeOf = ({ __REALTIME_TIMESTAMP: microseconds }: UnitEntry) =>
  Math.floor(Number(microseconds) / 1000)

function byInvocation(entries: readonly UnitEntry[]): Map<string, UnitEntry[]> {
  const groups = new Map<string, UnitEntry[]>()
  for (const entry of entries) {
    const id = entry.INVOCATION_ID
    if (typeof id === 'string') groups.set(id, [...(groups.get(id) ?? []), entry])
  }
  return groups
}

async function entriesOf(host: Host, matches: string[]): Promise<UnitEntry[]> {
  const shape = ['--quiet', '--no-pager', '--output=json', `--lines=${MAX_ENTRIES}`]
  const fields = `--output-fields=${Object.keys(UnitEntry.shape).join(',')}`
  const argv = ['journalctl', ...shape, fields, ...matches]
  const { stdout } = await host.shell.run(argv, { timeout_ms: LIMIT_MS })
  return stdout.split('\n').flatMap((line) => parseJson(UnitEntry, line) ?? [])
}
