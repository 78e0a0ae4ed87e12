import { strictObject, z } from 'zod'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'
import { oneOf } from '#shared/kernel/fields.ts'
import { TIERS } from '#shared/kernel/values.ts'

const UNITS = ['minute', 'day'] as const

const time = z.iso.datetime({ offset: true, error: 'Must be an ISO 8601 time' })

export const NumbersQuery = z.object({
  unit: oneOf(UNITS).default('minute').describe('Of a point; default: minute.'),
  from: time.optional().describe('The start; default: three hours, or 30 days, before `to`.'),
  to: time.optional().describe('The end (exclusive); default: now.'),
})
export type NumbersQuery = z.infer<typeof NumbersQuery>

const Values = z.array(z.int().nonnegative().nullable())

const reason = strictObject({
  code: z
    .enum(['workers', 'memory', 'killed', 'idle'])
    .describe(
      'workers: all workers of PHP were busy when another one was needed; memory: the site reached its memory limit; killed: programs were ended for it; idle: hardly anybody visits the site.',
    ),
  count: Count.describe('How often; of `idle`: all requests.'),
  days: Count.describe('On how many days; of `idle`: of so many days.'),
}).meta({ id: 'RecommendationReason' })
export type RecommendationReason = z.infer<typeof reason>

const Recommendation = strictObject({
  tier: z.enum(TIERS),
  reasons: z.array(reason),
}).meta({ id: 'TierRecommendation', description: 'Another tier that fits a site better.' })
export type Recommendation = z.infer<typeof Recommendation>

export const SiteNumbers = strictObject({
  unit: z.enum(UNITS),
  from: Timestamp,
  to: Timestamp,
  at: z.array(z.int()).describe('When each point begins, in seconds since 1970; days are UTC.'),
  requests: Values.describe('Without the health checks of the server.'),
  client_errors: Values.describe('Answers with a status from 400 to 499.'),
  server_errors: Values.describe('Answers with a status of 500 or more.'),
  cache_hits: Values.describe('Answers from the page cache.'),
  php_requests: Values.describe('Answers of PHP.'),
  php_ms: Values.describe('The time of all answers of PHP, in milliseconds.'),
  slow: Values.describe('Answers of PHP that took two seconds or more.'),
  bytes: Values.describe('Bytes of bodies that were sent.'),
  full: Values.describe('How often all workers of PHP were busy when another one was needed.'),
  active: Values.describe('The highest number of busy workers that was read.'),
  memory: Values.describe('How often the site reached its memory limit.'),
  killed: Values.describe('Programs of the site that were ended for their memory.'),
  files: Values.describe('Bytes; of days only, as are the other sizes.'),
  database: Values,
  cache: Values.describe('Of the page cache.'),
  mail: Values.describe('Of the mail queue.'),
  recommendation: Recommendation.nullable().describe(
    'Null: the tier fits, or too little is known.',
  ),
}).meta({
  id: 'SiteNumbers',
  description:
    'Columns of the same length, for charts. A minute without a request is null, as is a day without an agent.',
})
export type SiteNumbers = z.infer<typeof SiteNumbers>
