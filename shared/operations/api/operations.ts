import { strictObject, z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { OperationId } from '#shared/kernel/agent-headers.ts'
import { digits, Limit } from '#shared/kernel/api/activity.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, Failure, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Flag, someOf } from '#shared/kernel/api/query.ts'
import { oneOf, TrueOrFalse } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { CANCEL_MODES, OPERATION_STATUSES } from '#shared/kernel/values.ts'
import { OPERATION_NAMES } from '#shared/operation-types.ts'

export const CancelOperation = body({
  force: TrueOrFalse.default(false).describe('Kills programs instead of ending them gracefully.'),
}).meta({ id: 'CancelOperation' })

export const RetryOperation = body({ without_backup, dry_run: DryRun }).meta({
  id: 'RetryOperation',
})

/** The id of a record of the dashboard, or a time. */
export const Before = z.union(
  [z.iso.datetime(), z.string().regex(/^[\w-]{22}$/)],
  'Must be an id or an ISO 8601 time',
)

export const OperationsQuery = z.object({
  limit: Limit.default(50),
  before: Before.optional().describe('The id or the `created_at` of the last one seen.'),
  status: someOf(OPERATION_STATUSES).optional(),
  active: Flag.optional().describe('true: only those that run or wait; false: only ended ones.'),
  bulk_id: OperationId.optional().describe('Only those of a bulk operation.'),
  type: oneOf(OPERATION_NAMES).optional(),
  server_id: digits('Must be an id').optional(),
  site_id: digits('Must be an id').optional(),
})
export type OperationsQuery = z.infer<typeof OperationsQuery>

export const FollowQuery = z.object({
  steps: Flag.default(false).describe('true: also `step` events, starting with the pending steps.'),
})

const OperationWarning = strictObject({
  code: z.string().describe('Such as certificate_refused; more may be added.'),
  message: z.string(),
}).meta({ id: 'OperationWarning', description: 'A part that a successful operation did not do.' })

export const OperationView = strictObject({
  id: z.string(),
  type: z.enum(OPERATION_NAMES),
  server_id: RecordId,
  server: z.string().describe('The name of the server.'),
  site_id: RecordId.nullable(),
  domain: z.string().describe('Of the site, else the hostname of the server.'),
  actor: z.string().nullable().describe('The e-mail address of the user; null: the dashboard.'),
  status: z.enum(OPERATION_STATUSES),
  last_line: z.string().nullable().describe('The newest of its log, at most 500 characters.'),
  error: Failure.nullable().describe('Why it waits, or how it failed.'),
  warnings: z
    .array(OperationWarning)
    .describe('The parts of a successful operation that were not done.'),
  attempts: Count,
  cancel: z.enum(CANCEL_MODES).nullable().describe('How its cancellation was requested.'),
  retry_of: z.string().nullable().describe('The operation that it retries.'),
  next_at: Timestamp.nullable().describe('The next attempt, while it waits for the agent.'),
  deadline_at: Timestamp.describe('The deadline for an answer of the agent.'),
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
}).meta({ id: 'OperationView', description: 'An operation on a server or one of its sites.' })
export type OperationView = z.infer<typeof OperationView>
