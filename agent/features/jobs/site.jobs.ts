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

type Params = ParamsOf<'site.jobs'>

/**
 * The whole list, or one job; the record decides. A changed or removed job that runs meanwhile is
 * ended.
 */
export const siteJobs = command('site.jobs', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    refuseOther(site, params)
    return { site }
  },
  steps: ({ params, host }) => stepsOf(params, host),
  result: async ({ params, host }) => resultOf(await getSite(host, params.domain)),
})

const resultOf = ({ domain, jobs = [] }: Site) => ({ domain, jobs })

function isReached({ jobs = [] }: Site, params: Params): boolean {
  const { add, remove } = params
  if (add) return jobs.some((job) => isDeepStrictEqual(job, add))
  if (remove !== undefined) return !jobs.some(({ name }) => name === remove)
  return isDeepStrictEqual(jobs, params.jobs ?? [])
}

/** No jobs are not recorded. */
function applied(site: Site, params: Params): Site {
  const { jobs: _, ...rest } = site
  const jobs = jobsOf(site, params)
  return jobs.length === 0 ? rest : { ...rest, jobs }
}

function jobsOf({ jobs = [] }: Site, { add, remove, ...params }: Params): SiteJob[] {
  if (remove !== undefined) return jobs.filter(({ name }) => name !== remove)
  if (!add) return params.jobs ?? []
  return [...jobs.filter(({ name }) => name !== add.name), add]
}

/** An added job replaces no other one. */
function refuseOther({ domain, jobs = [] }: Site, { add }: Params): void {
  const other = add && jobs.find(({ name }) => name === add.name)
  if (!add || isDeepStrictEqual(other, add)) return
  if (other)
    throw conflict(`${domain} has another job ${add.name}: "${other.command}" (${other.schedule})`)
  if (jobs.length >= MAX_JOBS) throw conflict(`${domain} has ${MAX_JOBS} jobs, the maximum`)
}

/** Until the record is written every undo restores the former jobs. */
function stepsOf(params: Params, host: Host): Step[] {
  const recorded = () => getSite(host, params.domain)
  const target = async () => applied(await recorded(), params)
  return [
    {
      name: 'jobs',
      title: `Applying the cron jobs of ${params.domain}`,
      ...deferred(async () => cron.scheduleOwn(host, await target())),
      undo: async () => cron.scheduleOwn(host.steady ?? host, await recorded()).apply(),
    },
    {
      name: 'record',
      title: 'Recording the cron jobs',
      ...deferred(async () => siteRecord(host, await target())),
      decided: async () => isReached(await recorded(), params),
    },
  ]
}
