import { strictObject, z } from 'zod'
import { JOB_RESULTS } from '#shared/jobs/job-runs.ts'
import { JOB_STOPS, JobName, ReportedJob, SiteJobs } from '#shared/jobs/site-jobs.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'
import { DryRun } from '#shared/kernel/plan.ts'

export const SetSiteJobs = body({ jobs: SiteJobs, dry_run: DryRun }).meta({
  id: 'SetSiteJobs',
  description: 'The whole list: a job that is left out is removed.',
})

export const RunSiteJob = body({ name: JobName, dry_run: DryRun }).meta({ id: 'RunSiteJob' })

const Stopped = z
  .enum(JOB_STOPS)
  .nullable()
  .describe('Why no job runs automatically; null: jobs run.')

const JobLastRun = strictObject({
  started_at: Timestamp,
  seconds: z.number().nonnegative().nullable().describe('How long it took; null while it runs.'),
  result: z
    .enum(JOB_RESULTS)
    .describe('timed_out: it exceeded its limit; killed: by a signal, or by a restart.'),
  exit_status: z.int().nullable().describe('Of its line; null without one.'),
}).meta({ id: 'JobLastRun' })

const CronJob = strictObject({
  ...ReportedJob.shape,
  next_run_at: Timestamp.nullable().describe('Null: it runs only on request, or not at all.'),
  last_run: JobLastRun.nullable(),
  failures: Count.describe('How many of the last runs failed in a row.'),
}).meta({ id: 'CronJob', description: 'A cron job of a site, which runs as its system user.' })

export const CronJobs = strictObject({ stopped: Stopped, jobs: z.array(CronJob) }).meta({
  id: 'CronJobs',
})
export type CronJobs = z.infer<typeof CronJobs>

export const JobOutput = strictObject({
  run: JobLastRun.nullable().describe('Null: it has not run.'),
  output: z.string().describe('The end of what it printed, at most 64 KiB of text.'),
}).meta({ id: 'JobOutput', description: 'The last run of a cron job.' })
export type JobOutput = z.infer<typeof JobOutput>

const WordpressEvent = strictObject({
  hook: z.string(),
  due_at: Timestamp,
  schedule: z.string().nullable().describe('Such as `hourly`; null: it runs once.'),
  interval: Count.nullable().describe('In seconds.'),
}).meta({ id: 'WordpressEvent', description: 'A scheduled event of WordPress.' })

export const WordpressCron = strictObject({
  events: z.array(WordpressEvent).describe('Earliest first, at most 100.'),
  total: Count,
  overdue: Count.describe('Events that have been due for more than ten minutes.'),
  next_run_at: Timestamp.nullable().describe('When due events run next.'),
  stopped: Stopped,
}).meta({ id: 'WordpressCron', description: 'The scheduled events of the WordPress of a site.' })
export type WordpressCron = z.infer<typeof WordpressCron>
