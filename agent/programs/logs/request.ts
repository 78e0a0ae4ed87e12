import { z } from 'zod'
import { MAX_JOB_OUTPUT, MAX_JOB_RUNS } from '#shared/jobs/job-runs.ts'
import { LOG_SOURCES, LogFilter, LogPosition, MAX_LOG_LINES } from '#shared/logs/site-logs.ts'

/** The first line on the standard input of `hosting-agent logs`. */
export const ReadRequest = LogFilter.extend({
  what: z.enum(['list', 'search', 'fatals', 'download', 'tail', 'rotate', 'output']),
  source: z.enum(LOG_SOURCES),
  /** The paths of the newest file of each log; none for an input; for `rotate` the folder. */
  paths: z.array(z.string()),
  limit: z.int().min(1).max(MAX_LOG_LINES).default(MAX_LOG_LINES),
  before: LogPosition.optional(),
  /** The invocations for `output`, and the characters of each. */
  runs: z
    .array(z.string().regex(/^[0-9a-f]{32}$/))
    .max(MAX_JOB_RUNS)
    .default([]),
  chars: z.int().positive().default(MAX_JOB_OUTPUT),
  /** The time after which no further part is read, and a compressed file is given up. */
  budget_ms: z.int().positive(),
})
export type ReadRequest = z.output<typeof ReadRequest>
export type ReadInput = z.input<typeof ReadRequest>
