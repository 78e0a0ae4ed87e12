import { isDeepStrictEqual } from 'node:util'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import { deferred } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { command, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { MAX_JOBS, type SiteJob } from '#shared/jobs/site-jobs.ts'
import { conflict } from '#shared/kernel/errors.ts'

type JobsParams = ParamsOf<'site.jobs'>

/** Replaces the whole list, or changes one job, and ends changed and removed jobs. */
export const siteJobs = command('site.jobs', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    refuseExistingJob(site, params)
    return { site }
  },
  steps: ({ params, host }) => stepsOf(params, host),
  result: async ({ params, host }) => resultOf(await getSite(host, params.domain)),
})

const resultOf = ({ domain, jobs = [] }: Site) => ({ domain, jobs })

function areJobsInPlace({ jobs = [] }: Site, params: JobsParams): boolean {
  const { add, remove } = params
  if (add) return jobs.some((job) => isDeepStrictEqual(job, add))
  if (remove !== undefined) return !jobs.some(({ name }) => name === remove)
  return isDeepStrictEqual(jobs, params.jobs ?? [])
}

/** Returns the site with the jobs; an empty list is not recorded. */
function siteWithJobs(site: Site, params: JobsParams): Site {
  const { jobs: _, ...rest } = site
  const jobs = jobsOf(site, params)
  return jobs.length === 0 ? rest : { ...rest, jobs }
}

function jobsOf({ jobs = [] }: Site, { add, remove, ...params }: JobsParams): SiteJob[] {
  if (remove !== undefined) return jobs.filter(({ name }) => name !== remove)
  if (!add) return params.jobs ?? []
  return [...jobs.filter(({ name }) => name !== add.name), add]
}

/** Throws for an added job that would replace another one. */
function refuseExistingJob({ domain, jobs = [] }: Site, { add }: JobsParams): void {
  const other = add && jobs.find(({ name }) => name === add.name)
  if (!add || isDeepStrictEqual(other, add)) return
  if (other)
    throw conflict(`${domain} has another job ${add.name}: "${other.command}" (${other.schedule})`)
  if (jobs.length >= MAX_JOBS) throw conflict(`${domain} has ${MAX_JOBS} jobs, the maximum`)
}

/** Restores the former jobs in every undo until the record is written. */
function stepsOf(params: JobsParams, host: Host): Step[] {
  const recorded = () => getSite(host, params.domain)
  const target = async () => siteWithJobs(await recorded(), params)
  return [
    {
      name: 'jobs',
      title: `Applying the cron jobs of ${params.domain}`,
      ...deferred(async () => cron.scheduleOwnJobs(host, await target())),
      undo: async () => cron.scheduleOwnJobs(host.steady ?? host, await recorded()).apply(),
    },
    {
      name: 'record',
      title: 'Recording the cron jobs',
      ...deferred(async () => siteRecord(host, await target())),
      decided: async () => areJobsInPlace(await recorded(), params),
    },
  ]
}
