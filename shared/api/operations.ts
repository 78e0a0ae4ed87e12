import { z } from 'zod'
import { OperationId } from '../agent.ts'
import { CANCEL_MODES, OPERATION_STATUSES } from '../values.ts'
import { digits, Limit } from './activity.ts'
import { body } from './body.ts'

/** What the dashboard does as stored operations. Those but `site.scan` and `server.sync` are commands. */
export const OPERATION_TYPES = [
  'agent.upgrade',
  'server.provision',
  'server.sync',
  'service.restart',
  'site.create',
  'site.delete',
  'site.restore',
  'site.purge',
  'site.update',
  'site.scan',
  'pool.apply',
  'tls.issue',
  'cache.purge',
] as const
export type OperationType = (typeof OPERATION_TYPES)[number]

export const CancelOperation = body({
  /** Ends programs at once instead of asking them to end. */
  force: z.boolean('Must be true or false').default(false),
})

/** Several values with commas between them, each one of `values`. */
export function someOf<const T extends readonly [string, ...string[]]>(values: T) {
  const rule = `Must be one or more of ${values.join(', ')}`
  return z
    .string(rule)
    .max(255, rule)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values, { error: rule })))
}

export const Flag = z
  .enum(['true', 'false'], { error: 'Must be true or false' })
  .transform((text) => text === 'true')

/** The id of a record that the dashboard made, or a time. */
export const Before = z.union(
  [z.iso.datetime(), z.string().regex(/^[\w-]{22}$/)],
  'Must be an id or an ISO 8601 time',
)

export const OperationsQuery = z.object({
  limit: Limit.default(50),
  /** The id or the `created_at` of the last one seen. */
  before: Before.optional(),
  status: someOf(OPERATION_STATUSES).optional(),
  /** `true`: only those that have not ended, `false`: only those that have. */
  active: Flag.optional(),
  /** Those that a bulk operation began. */
  bulk_id: OperationId.optional(),
  type: z
    .enum(OPERATION_TYPES, { error: `Must be one of ${OPERATION_TYPES.join(', ')}` })
    .optional(),
  server_id: digits('Must be an id').optional(),
  site_id: digits('Must be an id').optional(),
})
export type OperationsQuery = z.infer<typeof OperationsQuery>

/** `next_at` is set while it waits for the agent; `error` tells why it waits or how it failed. */
export const OperationView = z.strictObject({
  id: z.string(),
  type: z.enum(OPERATION_TYPES),
  server_id: z.number(),
  site_id: z.number().nullable(),
  domain: z.string(),
  status: z.enum(OPERATION_STATUSES),
  error: z.object({ error: z.string(), message: z.string().optional() }).nullable(),
  attempts: z.number(),
  /** Whether its end was asked for, and how. */
  cancel: z.enum(CANCEL_MODES).nullable(),
  /** The operation that it repeats. */
  retry_of: z.string().nullable(),
  next_at: z.string().nullable(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
})
export type OperationView = z.infer<typeof OperationView>
