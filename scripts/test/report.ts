import { readFile } from 'node:fs/promises'
import { lastLines } from '../lib/run.ts'
import type { Verdict } from './again.ts'
import type { Outcome } from './job.ts'
import type { Job } from './jobs.ts'
import type { Case } from './junit.ts'

const TAIL_LINES = 40
/** For one job, while it runs; the summary has them all. */
const NAMED_FAILURES = 10
const REASON_LENGTH = 200
const EXPENSIVE_FILES = 10

/** Returns one line of progress; after a failure, also the failed tests and the end of the log. */
export async function describeOutcome({ job, cases, log, ms }: Outcome): Promise<string> {
  const failures = withStatus(cases, 'failed')
  const mark = failures.length > 0 ? '✗' : '✓'
  const seconds = `${(ms / 1000).toFixed(1)} s`
  const counts = job.files ? countsOf(cases) : ''
  const because = job.because ? ` (${job.because})` : ''
  const head = `${mark} ${job.part.padEnd(8)} ${job.title.padEnd(36)} ${seconds.padStart(7)} ${counts}${because}`
  if (failures.length === 0) return head.trimEnd()
  const text = await readFile(log, 'utf8').catch(() => '')
  return [
    head.trimEnd(),
    ...failures.slice(0, NAMED_FAILURES).map(line),
    ...(failures.length > NAMED_FAILURES ? [`  and ${failures.length - NAMED_FAILURES} more`] : []),
    ...lastLines(text, TAIL_LINES)
      .split('\n')
      .map((output) => `    | ${output}`),
    `    full log: ${log}`,
  ].join('\n')
}

/** A stage: what it was, its share of idle time (0 to 1), and how long it took. */
export type Stage = { name: string; idle: number; ms: number }

/** Returns where the time went: each stage, then the files that used the processors most. */
export function describeCost(stages: readonly Stage[], outcomes: readonly Outcome[]): string {
  const measured = outcomes.flatMap(({ job, cpu_s }) =>
    cpu_s ? [{ title: job.title, cpu_s }] : [],
  )
  const most = measured.sort((one, other) => other.cpu_s - one.cpu_s).slice(0, EXPENSIVE_FILES)
  return [
    '',
    ...stages.map(
      ({ name, idle, ms }) =>
        `Stage ${name}: ${(ms / 1000).toFixed(0)} s, processors idle ${(100 * idle).toFixed(0)} %`,
    ),
    ...(most.length > 0 ? ['Most processor time:'] : []),
    ...most.map(({ title, cpu_s }) => `  ${cpu_s.toFixed(0).padStart(5)} s  ${title}`),
  ].join('\n')
}

/** Returns what did not run, with those first that the change can reach. */
export function describeLeftOut(jobs: readonly Job[]): string {
  const files = (some: readonly Job[]) => some.map(({ title }) => `  ${title}`)
  const isReached = ({ because }: Job) => because !== undefined && because !== 'its turn'
  const reached = jobs.filter(isReached)
  const rest = jobs.length - reached.length
  return [
    ...(reached.length > 0
      ? ['', 'The change can reach these, but the time was over (--full runs them):']
      : []),
    ...files(reached),
    ...(rest > 0 ? ['', `${rest} more files of the full suite had no turn.`] : []),
  ].join('\n')
}

const VERDICTS: Record<Verdict, string> = {
  fails: 'Failed',
  unsteady: 'Unsteady: failed beside others and passed alone with the same seed',
  late: 'Late on an overloaded machine, and passed alone (not counted as failures)',
}

/** Returns the skipped tests, the failures by verdict, and the three numbers. */
export function describeSum(
  cases: readonly Case[],
  verdicts: readonly (readonly [Case, Verdict])[] = [],
): string {
  const section = (title: string, some: readonly Case[]) =>
    some.length > 0 ? ['', `${title}:`, ...some.map(line)] : []
  const { passed, failed, skipped } = count(cases, verdicts)
  return [
    ...section('Skipped', withStatus(cases, 'skipped')),
    ...(['late', 'unsteady', 'fails'] as const).flatMap((verdict) =>
      section(
        VERDICTS[verdict],
        verdicts.filter(([, one]) => one === verdict).map(([one]) => one),
      ),
    ),
    '',
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ].join('\n')
}

const withStatus = (cases: readonly Case[], status: Case['status']) =>
  cases.filter((one) => one.status === status)

/**
 * Counts the cases by status; a failed one that was only late counts as skipped, as it proves
 * nothing.
 */
export function count(
  cases: readonly Case[],
  verdicts: readonly (readonly [Case, Verdict])[] = [],
) {
  const of = (status: Case['status']) => withStatus(cases, status).length
  const late = verdicts.filter(([, verdict]) => verdict === 'late').length
  return { passed: of('passed'), failed: of('failed') - late, skipped: of('skipped') + late }
}

function countsOf(cases: readonly Case[]): string {
  const counts = Object.entries(count(cases)).filter(([, number]) => number > 0)
  return counts.map(([status, number]) => `${number} ${status}`).join(', ')
}

function line({ file, name, reason }: Case): string {
  return `  ${[file, name].filter(Boolean).join(' › ')}${reason ? `: ${reason.slice(0, REASON_LENGTH)}` : ''}`
}
