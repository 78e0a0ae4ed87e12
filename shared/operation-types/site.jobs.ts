import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Domain, ReportedDomain } from '#shared/fields.ts'
import { completesWith, operationType } from '#shared/operation-type.ts'
import { MOST_JOBS, ReportedJob, SiteJobs } from '#shared/site-jobs.ts'

const siteJobs = command({
  name: 'site.jobs',
  summary: 'Set the cron jobs of a site',
  changes: true,
  params: z.object({ domain: Domain, jobs: SiteJobs }),
  result: z.object({ domain: ReportedDomain, jobs: z.array(ReportedJob).max(MOST_JOBS) }),
})

/** Who sets a job runs programs as the site: they can read everything that the site can. */
export const siteJobsType = operationType({
  name: 'Change cron jobs',
  title: 'Change the cron jobs of',
  target: 'site',
  command: siteJobs,
  right: 'admin',
  params: z.object({ jobs: SiteJobs }),
  outcome: completesWith(siteJobs.result),
  bulk: null,
})
