import { z } from 'zod'
import { OperationId } from '#shared/agent.ts'
import { OPERATION_NAMES } from '#shared/operation-types/index.ts'
import { CANCEL_MODES, OPERATION_STATUSES } from '#shared/values.ts'
import { digits, Limit } from './activity.ts'
import { body } from './body.ts'
import { Count, Failure, RecordId, Timestamp } from './parts.ts'

export const CancelOperation = body({
  force: z
    .boolean('Must be true or false')
    .default(false)
    .describe('Ends programs at once instead of asking them to end.'),
}).meta({ id: 'CancelOperation' })

/** Several values with commas between them, each one of `values`. */
export function someOf<const T extends readonly [string, ...string[]]>(values: T) {
  const rule = `Must be one or more of ${values.join(', ')}`
  return z
    .string(rule)
    .max(255, rule)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values, { error: rule })))
    .describe(`One or more of ${values.join(', ')}, with commas between them.`)
}

export const Flag = z
  .enum(['true', 'false'], { error: 'Must be true or false' })
  .transform((text) => text === 'true')

/** The id of a record of the dashboard, or a time. */
export const Before = z.union(
  [z.iso.datetime(), z.string().regex(/^[\w-]{22}$/)],
  'Must be an id or an ISO 8601 time',
)

export const OperationsQuery = z.object({
  limit: Limit.default(50),
  before: Before.optional().describe('The id or the `created_at` of the last one seen.'),
  status: someOf(OPERATION_STATUSES).optional(),
  active: Flag.optional().describe(
    'true: only those that have not ended; false: only those that have.',
  ),
  bulk_id: OperationId.optional().describe('Those that a bulk operation began.'),
  type: z
    .enum(OPERATION_NAMES, { error: `Must be one of ${OPERATION_NAMES.join(', ')}` })
    .optional(),
  server_id: digits('Must be an id').optional(),
  site_id: digits('Must be an id').optional(),
})
export type OperationsQuery = z.infer<typeof OperationsQuery>

export const FollowQuery = z.object({
  steps: Flag.default(false).describe(
    'true: also `step` events, beginning with the steps to come.',
  ),
})

const OperationWarning = z
  .strictObject({
    code: z.string().describe('Such as certificate_refused; others may come.'),
    message: z.string(),
  })
  .meta({ id: 'OperationWarning', description: 'What an operation that succeeded could not do.' })

export const OperationView = z
  .strictObject({
    id: z.string(),
    type: z.enum(OPERATION_NAMES),
    server_id: RecordId,
    server: z.string().describe('The name of the server.'),
    site_id: RecordId.nullable(),
    domain: z.string().describe('Of the site, else the hostname of the server.'),
    actor: z.string().nullable().describe('The e-mail of who asked; null: the dashboard itself.'),
    status: z.enum(OPERATION_STATUSES),
    last_line: z.string().nullable().describe('The newest of its log, at most 500 characters.'),
    error: Failure.nullable().describe('Why it waits, or how it failed.'),
    warnings: z
      .array(OperationWarning)
      .describe('Of a success: what is not there, or was not done, although it was asked for.'),
    attempts: Count,
    cancel: z.enum(CANCEL_MODES).nullable().describe('Whether its end was asked for, and how.'),
    retry_of: z.string().nullable().describe('The operation that it repeats.'),
    next_at: Timestamp.nullable().describe('When the agent is asked again, while it waits for it.'),
    deadline_at: Timestamp.describe('When it fails if its agent does not answer until then.'),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'OperationView', description: 'A piece of work on a server or one of its sites.' })
export type OperationView = z.infer<typeof OperationView>
