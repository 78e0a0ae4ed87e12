import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite, type SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import {
  CronJobs,
  JobOutput,
  RunSiteJob,
  SetSiteJobs,
  WordpressCron,
} from '#shared/jobs/api/site-jobs.ts'
import { JobName } from '#shared/jobs/site-jobs.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { listCronJobs, readJobOutput, readWordpressCron } from './read-jobs.ts'

const route = routesWith<StreamDeps>()

type JobCall = PathCall<StreamDeps, 'server_id' | 'site_id' | 'job'>

async function loadJob(call: JobCall): Promise<SiteTarget & { name: string }> {
  const target = await loadManagedSite(call)
  const name = JobName.safeParse(call.params.job)
  if (!name.success) throw notFound('Job')
  return { ...target, name: name.data }
}

export const siteJobRoutes = {
  listCronJobs: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/jobs',
    summary: 'List the cron jobs of a site with their last and next runs',
    details: 'Read from the server. Schedules are in UTC.',
    right: 'read',
    loads: loadManagedSite,
    answers: { 200: { about: 'The jobs.', json: CronJobs } },
    errors: ['conflict', 'offline'],
    run: ({ deps, loaded }) => listCronJobs(deps, loaded),
  }),
  setCronJobs: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/jobs',
    summary: 'Set the cron jobs of a site',
    details:
      'The whole list: a job that is left out is removed, and ended if it runs. A job runs as the user of the site, confined like its PHP, and never twice at once.',
    loads: loadManagedSite,
    body: SetSiteJobs,
    ...streamed('site.jobs'),
  }),
  runCronJob: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/job-run',
    summary: 'Run a cron job of a site now',
    details:
      'Its output is in the events. The operation fails if the job fails, and ends the job if it is cancelled. 409 while the job runs.',
    loads: loadManagedSite,
    body: RunSiteJob,
    ...streamed('site.job-run'),
  }),
  readJobOutput: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/jobs/:job/output',
    summary: 'Show the output of the last run of a cron job',
    details: 'What the job printed is shown as plain text, without control characters.',
    right: 'read',
    loads: loadJob,
    answers: { 200: { about: 'The last run.', json: JobOutput } },
    errors: ['conflict', 'offline'],
    run: ({ deps, loaded }) => readJobOutput(deps, loaded),
  }),
  readWordpressCron: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/wordpress-cron',
    summary: 'List the scheduled events of the WordPress of a site',
    details: 'Read from the site, without its plugins.',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('The events.', { cron: WordpressCron }),
    errors: ['conflict', 'offline'],
    run: async ({ deps, loaded }) => ({ cron: await readWordpressCron(deps, loaded) }),
  }),
}
