import { AT } from '#dashboard/kernel/http/example-values.ts'

const job = {
  name: 'import',
  schedule: '30 3 * * 1-5',
  command: 'wp shop import --all',
  max_minutes: 60,
  enabled: true,
}
const JobLastRun = { started_at: AT, seconds: 12.4, result: 'success', exit_status: 0 }
const CronJob = { ...job, next_run_at: AT, last_run: JobLastRun, failures: 0 }
const WordpressEvent = {
  hook: 'wp_version_check',
  due_at: AT,
  schedule: 'twicedaily',
  interval: 43_200,
}

export const SITE_JOB_EXAMPLES = {
  SetSiteJobs: { jobs: [job], dry_run: false },
  RunSiteJob: { name: 'import', dry_run: false },
  JobLastRun,
  CronJob,
  CronJobs: { stopped: null, jobs: [CronJob] },
  JobOutput: { run: JobLastRun, output: '214 products imported' },
  WordpressEvent,
  WordpressCron: {
    events: [WordpressEvent],
    total: 1,
    overdue: 0,
    next_run_at: AT,
    stopped: null,
  },
  SiteJobsComplete: { status: 'ok', domain: 'shop.example', jobs: [job] },
  SiteJobRunComplete: { status: 'ok', domain: 'shop.example', name: 'import', seconds: 12.4 },
  WpCronRunComplete: { status: 'ok', domain: 'shop.example', events: 3 },
}
