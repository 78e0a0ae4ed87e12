import { jobServiceOf } from '#agent/features/jobs/cron/own-files.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { jobsLogOf } from '#agent/kernel/site/paths.ts'
import { findSite, getSite } from '#agent/kernel/site/sites.ts'
import { command, type Progress, stepResult } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { type LastRun, MAX_OUTPUT, type SiteJob } from '#shared/jobs/site-jobs.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { runsOfUnit, type UnitRun } from './journal.ts'
import { outputsOf } from './output.ts'
import { ownJobsStopReason } from './own.ts'

type JobRunParams = ParamsOf<'site.job-run'>

const jobRun = stepResult<LastRun>('The job has not run')

/** Follows the run that it starts: its cancellation ends the run. */
export const siteJobRun = command('site.job-run', {
  lock: onSite.lock,
  check: (params, host) => getRunnableJob(host, params),
  async find({ domain, name }, host) {
    const site = await findSite(host, domain)
    const job = site?.jobs?.find((one) => one.name === name)
    return site && job && { user: site.user, job }
  },
  steps({ host, user, job, gives }) {
    const unit = jobServiceOf(user, job.name)
    const steady = host.steady ?? host
    return [
      {
        name: 'run',
        title: `Running the job ${job.name}`,
        effects: [run('job', job.name)],
        apply: gives(jobRun, () => runJob(host, user, job)),
        async undo() {
          await steady.shell.try(['systemctl', 'stop', unit])
        },
      },
    ]
  },
  result: ({ params: { domain }, job, get }) => ({
    domain,
    name: job.name,
    seconds: get(jobRun).seconds ?? 0,
  }),
})

const REASONS = {
  suspended: 'is suspended: resume it to run its jobs',
  staging: 'is a staging site: its jobs are off',
  moving: 'moves to another server: its jobs run there',
  without_systemd: 'is on a server that systemd did not start: its jobs are off',
}

async function getRunnableJob(host: Host, { domain, name }: JobRunParams) {
  const site = await getSite(host, domain)
  const job = site.jobs?.find((one) => one.name === name)
  if (!job) throw notFound(`Job ${name} of ${domain}`)
  const stop = ownJobsStopReason(host, site)
  if (stop !== null) throw conflict(`${domain} ${REASONS[stop]}`)
  await refuseRunning(host, jobServiceOf(site.user, name))
  return { user: site.user, job }
}

async function* runJob(host: Host, user: string, job: SiteJob): Progress<LastRun> {
  const unit = jobServiceOf(user, job.name)
  const last = yield* startJob(host, { user, unit }, job.max_minutes)
  if (last.result === 'success') return last
  throw new Error(`The job ${job.name} ${reasonOf(last, job)}`)
}

function reasonOf({ result, exit_status }: LastRun, { max_minutes }: SiteJob): string {
  if (result === 'timed_out') return `was ended at its time limit of ${max_minutes} minutes`
  if (result === 'failed') return `failed with exit status ${exit_status ?? 'unknown'}`
  return 'was ended by a signal'
}

const POLL_MS = 1000
const GRACE_MS = 60_000
/** The maximum of followed output: less than a run logs, so that new lines can be counted. */
const MAX_FOLLOWED = 2 * MAX_OUTPUT
const RUNNING = ['activating', 'active', 'deactivating']

/** Starts the unit of a job and yields what it prints, until it ends; returns the run. */
async function* startJob(
  host: Host,
  of: { user: string; unit: string },
  minutes: number,
): AsyncGenerator<string, LastRun> {
  const { unit } = of
  const former = (await runsOfUnit(host, unit))[0]?.id
  const started = { ended: false }
  const timeout_ms = minutes * 60_000 + GRACE_MS
  const ending = host.shell.try(['systemctl', 'start', unit], { timeout_ms }).finally(() => {
    started.ended = true
  })
  ending.catch(() => undefined)
  const printed = new JobOutputReader(host, of, former)
  while (!started.ended) {
    yield* await printed.news()
    await host.clock.sleep(POLL_MS)
  }
  const { code, stderr } = await ending
  await host.shell.try(['journalctl', '--sync'], { timeout_ms: GRACE_MS })
  yield* await printed.news(true)
  if (!printed.run) throw new Error(`The job did not start: ${stderr.trim() || code}`)
  return printed.run
}

/** Throws conflict for a job that its timer has started. */
async function refuseRunning(host: Host, unit: string): Promise<void> {
  const state = (await propertiesOf(host, [unit], ['ActiveState'])).get(unit)?.ActiveState ?? ''
  if (RUNNING.includes(state)) throw conflict('The job is running: wait until it has ended')
}

/** Returns the new lines of the current run at each call. */
class JobOutputReader {
  run: UnitRun | undefined
  readonly #host: Host
  readonly #of: { user: string; unit: string }
  readonly #former: string | undefined
  #seen = 0
  #state = ''

  constructor(host: Host, of: { user: string; unit: string }, former: string | undefined) {
    this.#host = host
    this.#of = of
    this.#former = former
  }

  /** Reads the log only when it has changed: that takes a program in the sandbox of the site. */
  async news(isOver = false): Promise<string[]> {
    const log = await this.#host.files.stat(jobsLogOf(this.#of.user))
    const state = `${log?.size} ${log?.mtime_ms}`
    if (state === this.#state && !isOver) return []
    const [run] = await runsOfUnit(this.#host, this.#of.unit)
    if (!run || run.id === this.#former) return []
    this.#state = state
    this.run = run
    const outputs = await outputsOf(this.#host, this.#of.user, [run], MAX_FOLLOWED)
    const text = outputs.get(run.id) ?? ''
    const lines = text === '' ? [] : text.split('\n')
    const news = lines.slice(this.#seen)
    this.#seen = Math.max(this.#seen, lines.length)
    return news
  }
}
