import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, open, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cacheFolder } from '../lib/cache.ts'
import { processorGroup, wasOverloaded } from './cost.ts'
import type { Job } from './jobs.ts'
import { type Case, isReadable, readReport, secondsIn } from './junit.ts'

export type Outcome = {
  job: Job
  cases: Case[]
  /** The seconds of each file of a program with several. */
  seconds: Record<string, number>
  log: string
  ms: number
  /** The processor time of all its processes; undefined where the kernel does not count it. */
  cpu_s: number | undefined
  /** The machine had much more to do than it can, so that a wait says nothing. */
  overloaded: boolean
}

export interface RunOptions {
  root: string
  /** Logs and reports go into this folder. */
  folder: string
  /** Temporary files go into this folder; undefined without a separate place for them. */
  memory: string | undefined
  signal: AbortSignal
  /** These variables are added to the environment of each job. */
  env: Record<string, string>
}

/** Runs one job; its log and its report go into `folder`. A job without a report has failed. */
export async function runJob(
  job: Job,
  { root, folder, memory, signal, env: common }: RunOptions,
): Promise<Outcome> {
  const start = performance.now()
  const started_ms = Date.now()
  const name = `${job.part} ${job.title}`.trim().replace(/[^\w.-]+/g, '-')
  const log = join(folder, `${name}.log`)
  const report = join(folder, `${name}.xml`)
  const reporter = job.files ? ['--reporter=junit', `--reporter-outfile=${report}`] : []
  const group = processorGroup(name)
  if (job.checked) await copyChecked(await sharedFile(job.checked), join(root, job.checked))
  const env = { ...common, ...job.env, HOSTING_COMMANDS: commandsOf(folder, job) }
  const status = await runLogged({
    argv: [...job.argv, ...reporter],
    env: job.fleeting && memory ? { ...env, TMPDIR: memory } : env,
    cwd: root,
    log,
    timeout_ms: job.timeout_ms,
    signal,
    started: (pid) => group?.add(pid),
  })
  if (job.checked && status === 0)
    await copyChecked(join(root, job.checked), await sharedFile(job.checked))
  const xml = job.files ? await readFile(report, 'utf8').catch(() => '') : ''
  return {
    job,
    cases: casesOf(job, status, xml),
    seconds: secondsIn(xml),
    log,
    ms: performance.now() - start,
    cpu_s: group?.end(),
    overloaded: wasOverloaded(started_ms),
  }
}

const sharedFile = async (path: string) => join(await cacheFolder(), basename(path))

/** Copies what a program has checked; without it the program only takes longer. */
async function copyChecked(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}`
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, draft)
    .then(() => rename(draft, to))
    .catch(() => undefined)
}

/** Returns where the lab writes the commands that its hosts ran, one in each line. */
export const commandsOf = (folder: string, { title }: Job) =>
  join(folder, `${title.replace(/[^\w.-]+/g, '-')}.commands`)

/** Returns the tests of a job: those in its report, and each sign that the report is incomplete. */
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
  if (!isReadable(xml))
    cases.push(failed('', 'its report is not XML: a name has a character that XML does not'))
  const silent = status !== 0 && cases.every((one) => one.status !== 'failed')
  return silent ? [...cases, failed('', `${ended}, though no test failed`)] : cases
}

type LoggedRun = {
  argv: readonly string[]
  cwd: string
  log: string
  /** These variables are added to the environment of this process. */
  env?: Record<string, string>
  timeout_ms: number
  signal?: AbortSignal
  /** Called with the process id, as soon as it is known. */
  started?: (pid: number) => void
}

/**
 * Runs a program with all its output in the file `log`. Returns its exit status, or the reason for
 * its absence. At the time limit, or on `signal`, its whole process group is killed.
 */
export async function runLogged(options: LoggedRun): Promise<number | string> {
  const { argv, cwd, env, timeout_ms, signal } = options
  await using log = await open(options.log, 'a')
  const [file = '', ...args] = argv
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  })
  if (child.pid) options.started?.(child.pid)
  let limit = ''
  const stop = (reason: string) => {
    limit ||= reason
    killGroup(child.pid)
  }
  const timer = setTimeout(() => stop(`no end after ${timeout_ms / 1000} s`), timeout_ms)
  const aborted = () => stop('interrupted')
  signal?.addEventListener('abort', aborted)
  try {
    const [status, killed] = await once(child, 'exit')
    return limit || (status ?? `killed by ${killed}`)
  } catch (error) {
    return `${file} could not be started: ${String(error)}`
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
  }
}

function killGroup(pid: number | undefined): void {
  if (!pid) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
