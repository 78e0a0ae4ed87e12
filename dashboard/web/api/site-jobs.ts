import { queryOptions } from '@tanstack/react-query'
import { callSite, type SiteAnswer, type SiteBody, type SitePlace, siteWork } from './site-call.ts'

/** Requested from the server, which may be offline: they are not retried. */
const live = { retry: false, staleTime: 0 } as const

export const cronJobsQuery = (site: SitePlace) =>
  queryOptions({
    ...live,
    queryKey: ['site', site.id, 'cron-jobs'],
    queryFn: () => callSite(site, 'GET jobs'),
    refetchInterval: 30_000,
  })

export type CronJob = SiteAnswer<'GET jobs'>['jobs'][number]

export const jobOutputQuery = (site: SitePlace, job: string) =>
  queryOptions({
    ...live,
    queryKey: ['site', site.id, 'job-output', job],
    queryFn: () => callSite(site, 'GET jobs/:job/output', { params: { job } }),
  })

export const wordpressCronQuery = (site: SitePlace) =>
  queryOptions({
    ...live,
    queryKey: ['site', site.id, 'wordpress-cron'],
    queryFn: async () => (await callSite(site, 'GET wordpress-cron')).cron,
  })

/** The last runs of due events of WordPress. */
export const jobRunsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'job-runs'],
    queryFn: async ({ signal }) => (await callSite(site, 'GET job-runs', { signal })).runs,
    retry: false,
  })

/** Runs the due events of WordPress; returns a message about the outcome. */
export async function runDueEvents(site: SitePlace): Promise<string> {
  const answer = await callSite(site, 'POST wordpress-cron-run')
  return 'message' in answer ? answer.message : ''
}

/** Replaces the whole list. */
export const setCronJobs = (site: SitePlace, jobs: SiteBody<'PUT jobs'>['jobs']) =>
  siteWork(site, 'PUT jobs', { jobs })

export const runCronJob = (site: SitePlace, name: string) =>
  siteWork(site, 'POST job-run', { name })
