import { strictObject, z } from 'zod'
import { JOB_RESULTS } from '#shared/jobs/job-runs.ts'
import { Timestamp } from '#shared/kernel/api/parts.ts'

export const JobRun = strictObject({
  started_at: Timestamp,
  seconds: z.number().nonnegative().nullable().describe('How long it took; null while it runs.'),
  result: z
    .enum(JOB_RESULTS)
    .describe(
      'timed_out: it exceeded four minutes; killed: by a signal, for example because of memory.',
    ),
  exit_status: z.int().nullable().describe('Of wp-cli; null without one.'),
  output: z.string().describe('The end of what it printed, at most 4,096 characters of text.'),
}).meta({ id: 'JobRun', description: 'A run of the scheduled jobs of a site.' })
export type JobRun = z.infer<typeof JobRun>
