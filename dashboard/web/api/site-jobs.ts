import { queryOptions } from '@tanstack/react-query'
import { call, type Sent, start } from './client.ts'
import type { SiteWork } from './site-work.ts'
import type { SitePlace } from './sites.ts'

const at = ({ id, server_id }: SitePlace) => ({ server_id, site_id: id })

/** Requested from the server, which may be offline: they are not retried. */
const live = { retry: false, staleTime: 0 } as const

export const cronJobsQuery = (site: SitePlace) =>
  queryOptions({
    ...live,
    queryKey: ['site', site.id, 'cron-jobs'],
    queryFn: () => call('GET /api/servers/:server_id/sites/:site_id/jobs', { params: at(site) }),
    refetchInterval: 30_000,
  })

type Jobs = Awaited<ReturnType<NonNullable<ReturnType<typeof cronJobsQuery>['queryFn']>>>
export type CronJob = Jobs['jobs'][number]

export const jobOutputQuery = (site: SitePlace, job: string) =>
  queryOptions({
    ...live,
    queryKey: ['site', site.id, 'job-output', job],
    queryFn: () =>
      call('GET /api/servers/:server_id/sites/:site_id/jobs/:job/output', {
        params: { ...at(site), job },
      }),
  })

export const wordpressCronQuery = (site: SitePlace) =>
  queryOptions({
    ...live,
    queryKey: ['site', site.id, 'wordpress-cron'],
    queryFn: async () => {
      const sent = { params: at(site) }
      return (await call('GET /api/servers/:server_id/sites/:site_id/wordpress-cron', sent)).cron
    },
  })

/** Waits for the outcome; resolves to a sentence about it. */
export async function runDueEvents(site: SitePlace): Promise<string> {
  const answer = await call('POST /api/servers/:server_id/sites/:site_id/wordpress-cron-run', {
    params: at(site),
  })
  return 'message' in answer ? answer.message : ''
}

export type JobInput = Sent<'PUT /api/servers/:server_id/sites/:site_id/jobs'>['body']['jobs']

/** Replaces the whole list. */
export const setCronJobs = (site: SitePlace, jobs: JobInput): SiteWork => ({
  key: ['cron-jobs', site.id, jobs],
  call: (more) =>
    start('PUT /api/servers/:server_id/sites/:site_id/jobs', {
      params: at(site),
      body: { jobs, ...more },
    }),
})

export const runCronJob = (site: SitePlace, name: string): SiteWork => ({
  key: ['job-run', site.id, name],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/job-run', {
      params: at(site),
      body: { name, ...more },
    }),
})
