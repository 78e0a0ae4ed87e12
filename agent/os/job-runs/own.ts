import type { Host } from '#agent/host/ports.ts'
import { stopOf } from '#agent/os/cron/cron.ts'
import { jobServiceOf } from '#agent/os/cron/own-files.ts'
import { propertiesOf } from '#agent/os/services/systemd.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import { nextRuns, parseSchedule } from '#shared/cron.ts'
import { notFound } from '#shared/errors.ts'
import { plainOutput } from '#shared/job-runs.ts'
import {
  type AgentJobOutput,
  type AgentSiteJobs,
  type LastRun,
  MOST_OUTPUT,
  type SiteJob,
} from '#shared/site-jobs.ts'
import { runsOfUnit, type UnitRun } from './journal.ts'

/** Its maximum, with the end that the runner prints after the beginning. */
const MOST_LINES = 20_000
const LIMIT_MS = 20_000
const RUNNING = ['activating', 'active', 'deactivating']

/** Why the cron jobs of a site do not run by themselves; null: they do. */
export const ownStopOf = (host: Host, site: Site) =>
  host.init === 'systemd' ? stopOf(site) : ('without_systemd' as const)

/** The cron jobs of a site with their state. Throws not_found for a site of others. */
export async function listOwnJobs(host: Host, domain: string): Promise<AgentSiteJobs> {
  const site = await getSite(host, domain)
  const stopped = ownStopOf(host, site)
  const jobs = site.jobs ?? []
  if (stopped === 'without_systemd') return { stopped, jobs: jobs.map(asNew) }
  const units = jobs.map(({ name }) => jobServiceOf(site.user, name))
  const [states, runs] = await Promise.all([
    propertiesOf(host, units, ['ActiveState']),
    Promise.all(units.map((unit) => runsOfUnit(host, unit))),
  ])
  return {
    stopped,
    jobs: jobs.map((job, at) => {
      const active = states.get(units[at] ?? '')?.ActiveState ?? ''
      const ended = (runs[at] ?? []).map((run, age) =>
        age === 0 && RUNNING.includes(active) ? run : concluded(run),
      )
      const next = stopped === null && job.enabled ? nextOf(host, job) : null
      return { ...job, next_run_at: next, last_run: lastOf(ended), failures: failuresOf(ended) }
    }),
  }
}

const asNew = (job: SiteJob) => ({ ...job, next_run_at: null, last_run: null, failures: 0 })

/** A run without an end that no longer runs: the server was restarted. */
const concluded = (run: UnitRun): UnitRun =>
  run.result === 'running' ? { ...run, result: 'killed' } : run

function nextOf(host: Host, { schedule }: SiteJob): string | null {
  const [next] = nextRuns(parseSchedule(schedule), host.clock.now(), 1)
  return next === undefined ? null : new Date(next).toISOString()
}

function lastOf([run]: readonly UnitRun[]) {
  if (!run) return null
  const { id: _, ...last } = run
  return last
}

/** The newest runs in a row that failed. */
export function failuresOf(runs: readonly UnitRun[]): number {
  const ended = runs.filter(({ result }) => result !== 'running')
  const good = ended.findIndex(({ result }) => result === 'success')
  return good < 0 ? ended.length : good
}

/** The last run of a job with the end of its output, without control characters. */
export async function readJobOutput(
  host: Host,
  { domain, name }: { domain: string; name: string },
): Promise<AgentJobOutput> {
  const { user, jobs = [] } = await getSite(host, domain)
  if (!jobs.some((job) => job.name === name)) throw notFound(`Job ${name} of ${domain}`)
  if (host.init !== 'systemd') return { run: null, output: '' }
  const unit = jobServiceOf(user, name)
  const runs = await runsOfUnit(host, unit)
  const run = lastOf(runs)
  return { run, output: runs[0] ? await outputOf(host, unit, runs[0]) : '' }
}

/**
 * What the newest run has printed until now: at most the last 64 KiB. By its time, since a unit has
 * one run at a time: journald knows no invocation of a process that ended before it was read.
 */
export async function outputOf(host: Host, unit: string, { started_at }: LastRun): Promise<string> {
  const since = `--since=@${(Date.parse(started_at) / 1000).toFixed(3)}`
  const shape = ['--quiet', '--no-pager', '--all', '--output=cat', `--lines=${MOST_LINES}`, since]
  const matches = [`_SYSTEMD_UNIT=${unit}`]
  const { stdout } = await host.shell.run(['journalctl', ...shape, ...matches], {
    timeout_ms: LIMIT_MS,
  })
  return plainOutput(stdout).trimEnd().slice(-MOST_OUTPUT)
}
