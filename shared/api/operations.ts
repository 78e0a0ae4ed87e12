import { z } from 'zod'
import { OPERATION_STATUSES } from '../values.ts'
import { digits, Limit } from './activity.ts'

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

export const OperationsQuery = z.object({
  limit: Limit.default(50),
  /** The `created_at` of the last one seen. */
  before: z.iso.datetime('Must be an ISO 8601 time').optional(),
  status: z
    .enum(OPERATION_STATUSES, { error: `Must be one of ${OPERATION_STATUSES.join(', ')}` })
    .optional(),
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
  next_at: z.string().nullable(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
})
export type OperationView = z.infer<typeof OperationView>
