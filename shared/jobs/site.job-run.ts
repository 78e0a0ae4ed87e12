import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { JobName } from './site-jobs.ts'

const siteJobRun = command({
  name: 'site.job-run',
  summary: 'Run a cron job of a site and follow it to its end',
  changes: true,
  minutes: 24 * 60,
  silent_minutes: 12 * 60,
  params: z.object({ domain: Domain, name: JobName }),
  result: z.object({
    domain: ReportedDomain,
    name: JobName,
    seconds: z.number().nonnegative().max(1e6).describe('How long it took.'),
  }),
})

/** A run that fails is a failed operation; the job stays as it is. */
export const siteJobRunType = operationType({
  name: 'Run cron job',
  title: 'Run a cron job of',
  target: 'site',
  command: siteJobRun,
  right: 'operate',
  params: z.object({ name: JobName }),
  confirms: { ...SAME_DOMAIN, name: 'name' },
  outcome: completesWith(siteJobRun.result),
  unrecorded: { states: ['active'] },
  bulk: null,
})
