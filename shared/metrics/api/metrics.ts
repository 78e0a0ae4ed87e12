import { strictObject, z } from 'zod'
import { digits } from '#shared/kernel/api/activity.ts'
import { Timestamp } from '#shared/kernel/api/parts.ts'

export const DEFAULT_POINTS = 400

const stepRule = 'Must be a whole number of seconds between 60 and 86400'

const time = z.iso.datetime({ offset: true, error: 'Must be an ISO 8601 time' })

export const MetricsQuery = z.object({
  from: time.optional().describe('The start; default: an hour before `to`.'),
  to: time.optional().describe('The end (exclusive); default: now.'),
  step: digits(stepRule, 60, 86400)
    .optional()
    .describe(`Seconds of one point; default: a value for at most ${DEFAULT_POINTS} points.`),
})
export type MetricsQuery = z.infer<typeof MetricsQuery>

const Values = z.array(z.number().nonnegative().nullable())

export const MetricsHistory = strictObject({
  from: Timestamp,
  to: Timestamp,
  step: z.int().positive().describe('At least 900 for times without stored minutes.'),
  since: Timestamp.nullable().describe('The first reading of the server that is stored.'),
  at: z.array(z.int()).describe('When each point begins, in seconds since 1970.'),
  cpu: Values.describe('Percent, on average.'),
  cpu_max: Values.describe('The highest reading of `cpu`.'),
  ram_used: Values.describe('MB.'),
  ram_total: Values.describe('MB.'),
  disk_used: Values.describe('MB.'),
  disk_total: Values.describe('MB.'),
  load1: Values,
  load5: Values,
  load15: Values,
}).meta({
  id: 'MetricsHistory',
  description: 'Columns of the same length, for charts; null without a reading.',
})
export type MetricsHistory = z.infer<typeof MetricsHistory>
