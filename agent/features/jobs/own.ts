import { jobsStopReason } from '#agent/features/jobs/cron/cron.ts'
import { jobServiceOf } from '#agent/features/jobs/cron/own-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { nextRuns, parseSchedule } from '#shared/jobs/cron.ts'
import {
  type AgentJobOutput,
  type AgentSiteJobs,
  MAX_OUTPUT,
  type SiteJob,
} from '#shared/jobs/site-jobs.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { runsOfUnit, type UnitRun } from './journal.ts'
import { outputsOf } from './output.ts'

const RUNNING = ['activating', 'active', 'deactivating']

/** Returns why the cron jobs of a site do not run by themselves; null if they do. */
export const ownJobsStopReason = (host: Host, site: Site) =>
  isMet(NEEDS.jobs, host) ? jobsStopReason(site) : ('without_systemd' as const)

/** Lists the cron jobs of a site with their state. Throws not_found for a site of others. */
export async function listOwnJobs(host: Host, domain: string): Promise<AgentSiteJobs> {
  const site = await getSite(host, domain)
  const stopped = ownJobsStopReason(host, site)
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
        age === 0 && RUNNING.includes(active) ? run : withoutUnfinished(run),
      )
      const next = stopped === null && job.enabled ? nextRunOf(host, job) : null
      return { ...job, next_run_at: next, last_run: lastRunOf(ended), failures: failuresOf(ended) }
    }),
  }
}

const asNew = (job: SiteJob) => ({ ...job, next_run_at: null, last_run: null, failures: 0 })

/** Ends a run without an end that no longer runs: the server was restarted. */
const withoutUnfinished = (run: UnitRun): UnitRun =>
  run.result === 'running' ? { ...run, result: 'killed' } : run

function nextRunOf(host: Host, { schedule }: SiteJob): string | null {
  const [next] = nextRuns(parseSchedule(schedule), host.clock.now(), 1)
  return next === undefined ? null : new Date(next).toISOString()
}

function lastRunOf([run]: readonly UnitRun[]) {
  if (!run) return null
  const { id: _, ...last } = run
  return last
}

/** Counts the newest runs in a row that failed. */
export function failuresOf(runs: readonly UnitRun[]): number {
  const ended = runs.filter(({ result }) => result !== 'running')
  const good = ended.findIndex(({ result }) => result === 'success')
  return good < 0 ? ended.length : good
}

/** Returns the last run of a job with the end of its output, without control characters. */
export async function readJobOutput(
  host: Host,
  { domain, name }: { domain: string; name: string },
): Promise<AgentJobOutput> {
  const { user, jobs = [] } = await getSite(host, domain)
  if (!jobs.some((job) => job.name === name)) throw notFound(`Job ${name} of ${domain}`)
  if (!isMet(NEEDS.jobs, host)) return { run: null, output: '' }
  const runs = await runsOfUnit(host, jobServiceOf(user, name))
  const outputs = await outputsOf(host, user, runs.slice(0, 1), MAX_OUTPUT)
  return { run: lastRunOf(runs), output: outputs.get(runs[0]?.id ?? '') ?? '' }
}
