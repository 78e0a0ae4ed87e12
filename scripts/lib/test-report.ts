import { readFile } from 'node:fs/promises'
import type { Case } from './junit.ts'
import { lastLines } from './run.ts'
import type { Outcome } from './test-job.ts'

const TAIL_LINES = 40
/** Of one job, while it runs; the summary has them all. */
const MOST_NAMED = 10
const MOST_REASON = 200

/** One line of progress; after a failure, also the failed tests and the end of the log. */
export async function describeOutcome({ job, cases, log, ms }: Outcome): Promise<string> {
  const failures = withStatus(cases, 'failed')
  const mark = failures.length > 0 ? '✗' : '✓'
  const seconds = `${(ms / 1000).toFixed(1)} s`
  const counts = job.files ? countsOf(cases) : ''
  const head = `${mark} ${job.part.padEnd(8)} ${job.title.padEnd(36)} ${seconds.padStart(7)} ${counts}`
  if (failures.length === 0) return head.trimEnd()
  const text = await readFile(log, 'utf8').catch(() => '')
  return [
    head.trimEnd(),
    ...failures.slice(0, MOST_NAMED).map(line),
    ...(failures.length > MOST_NAMED ? [`  and ${failures.length - MOST_NAMED} more`] : []),
    ...lastLines(text, TAIL_LINES)
      .split('\n')
      .map((output) => `    | ${output}`),
    `    full log: ${log}`,
  ].join('\n')
}

/**
 * The skipped tests with reasons, those that passed only at the second attempt, then the failed
 * ones; the last line has the three numbers.
 */
export function describeSum(cases: readonly Case[], unsteady: readonly Case[] = []): string {
  const { passed, failed, skipped } = count(cases)
  const section = (title: string, some: readonly Case[]) =>
    some.length > 0 ? ['', `${title}:`, ...some.map(line)] : []
  return [
    ...section('Skipped', withStatus(cases, 'skipped')),
    ...section('Failed beside others and passed alone', unsteady),
    ...section('Failed', withStatus(cases, 'failed')),
    '',
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ].join('\n')
}

const withStatus = (cases: readonly Case[], status: Case['status']) =>
  cases.filter((one) => one.status === status)

export function count(cases: readonly Case[]) {
  const of = (status: Case['status']) => withStatus(cases, status).length
  return { passed: of('passed'), failed: of('failed'), skipped: of('skipped') }
}

function countsOf(cases: readonly Case[]): string {
  const counts = Object.entries(count(cases)).filter(([, number]) => number > 0)
  return counts.map(([status, number]) => `${number} ${status}`).join(', ')
}

function line({ file, name, reason }: Case): string {
  return `  ${[file, name].filter(Boolean).join(' › ')}${reason ? `: ${reason.slice(0, MOST_REASON)}` : ''}`
}
