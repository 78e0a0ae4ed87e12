import { SiteRequest } from '#shared/kernel/agent-requests.ts'
import { listOf, NoParams, reading } from '#shared/kernel/reading.ts'
import { AgentJobRuns } from './job-runs.ts'
import {
  AgentCron,
  AgentJobOutput,
  AgentSiteJobs,
  JobOutputRequest,
  SiteJobTrouble,
} from './site-jobs.ts'

export const jobTroublesReading = reading({
  at: 'GET /job-troubles',
  params: NoParams,
  answer: listOf('sites', SiteJobTrouble),
})

/** The runs of the jobs of a site, newest first. */
export const jobRunsReading = reading({
  at: 'POST /sites/job-runs',
  params: SiteRequest,
  answer: AgentJobRuns,
})

export const siteJobsReading = reading({
  at: 'POST /sites/jobs',
  params: SiteRequest,
  answer: AgentSiteJobs,
})

export const jobOutputReading = reading({
  at: 'POST /sites/job-output',
  params: JobOutputRequest,
  answer: AgentJobOutput,
})

export const wordpressCronReading = reading({
  at: 'POST /sites/wordpress-cron',
  params: SiteRequest,
  answer: AgentCron,
})
