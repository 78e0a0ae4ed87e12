import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Case, readReport } from './junit.ts'
import { runLogged } from './logged.ts'
import type { Job } from './test-plan.ts'

export type Outcome = { job: Job; cases: Case[]; log: string; ms: number }

export interface RunOptions {
  root: string
  /** For logs and reports. */
  folder: string
  /** For temporary files; undefined without a separate place for them. */
  memory: string | undefined
  signal: AbortSignal
}

/** Runs one job; its log and its report go into `folder`. A job without a report has failed. */
export async function runJob(
  job: Job,
  { root, folder, memory, signal }: RunOptions,
): Promise<Outcome> {
  const start = performance.now()
  const name = `${job.part} ${job.title}`.trim().replace(/[^\w.-]+/g, '-')
  const log = join(folder, `${name}.log`)
  const report = join(folder, `${name}.xml`)
  const reporter = job.files ? ['--reporter=junit', `--reporter-outfile=${report}`] : []
  const status = await runLogged({
    argv: [...job.argv, ...reporter],
    env: job.fleeting && memory ? { ...job.env, TMPDIR: memory } : job.env,
    cwd: root,
    log,
    timeout_ms: job.timeout_ms,
    signal,
  })
  const xml = job.files ? await readFile(report, 'utf8').catch(() => '') : ''
  return { job, cases: casesOf(job, status, xml), log, ms: performance.now() - start }
}

/** The tests of a job: those in its report, and each sign that the report is incomplete. */
export function casesOf(job: Job, status: number | string, xml: string): Case[] {
  const failed = (file: string, reason: string): Case => ({
    file,
    name: job.title || job.part,
    status: 'failed',
    reason,
  })
  const ended = typeof status === 'string' ? status : `exit status ${status}`
  if (!job.files) {
    if (status !== 0) return [failed('', ended)]
    return [{ file: '', name: job.title, status: 'passed', reason: '' }]
  }
  const cases = readReport(xml)
  if (xml === '') return [failed('', `${ended}, without a report`)]
  const reported = new Set(cases.map(({ file }) => file))
  for (const file of job.files) {
    if (!reported.has(file)) cases.push(failed(file, 'did not load, or contains no test'))
  }
  const silent = status !== 0 && cases.every((one) => one.status !== 'failed')
  return silent ? [...cases, failed('', `${ended}, though no test failed`)] : cases
}
