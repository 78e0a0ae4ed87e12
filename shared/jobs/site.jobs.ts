import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { JobName, MAX_JOBS, ReportedJob, SiteJob, SiteJobs } from './site-jobs.ts'

/** The whole list, or one job by its name: for many sites, whose other jobs differ. */
const changes = {
  jobs: SiteJobs.optional().describe('The whole list.'),
  add: SiteJob.optional().describe('One more job; refused if another one has its name.'),
  remove: JobName.optional().describe('The name of the job to remove; a site may lack it.'),
}

type JobChanges = { [N in keyof typeof changes]?: z.output<(typeof changes)[N]> }

const isOne = ({ jobs, add, remove }: JobChanges) =>
  [jobs, add, remove].filter((each) => each !== undefined).length === 1

const ONE_CHANGE_MESSAGE = 'Must have one of jobs, add and remove'

const siteJobs = command({
  name: 'site.jobs',
  summary: 'Set the cron jobs of a site, add one or remove one',
  changes: true,
  needs: ({ jobs = [], add }) => (add || jobs.length > 0 ? NEEDS.jobs : undefined),
  params: z.object({ domain: Domain, ...changes }).superRefine((given, context) => {
    if (isOne(given)) return
    const path = (['add', 'remove'] as const).find((name) => given[name] !== undefined) ?? 'jobs'
    context.addIssue({ code: 'custom', message: ONE_CHANGE_MESSAGE, path: [path] })
  }),
  result: z.object({ domain: ReportedDomain, jobs: z.array(ReportedJob).max(MAX_JOBS) }),
})

/** Needs a high right: whoever sets a job runs programs as the site, with all of its rights. */
export const siteJobsType = operationType({
  name: 'Change cron jobs',
  title: 'Change the cron jobs of',
  target: 'site',
  command: siteJobs,
  right: 'admin',
  params: z.object(changes),
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteJobs.result),
  unrecorded: { states: ['active', 'suspended'] },
  bulk: {
    title: 'Change cron jobs of',
    params: bulkParams({ add: changes.add, remove: changes.remove }).refine(
      isOne,
      'Must have either add or remove',
    ),
    words: { add: null, remove: null },
  },
})
