import { z } from 'zod'
import { Id, PhpVersion, Tag, Tier, TlsMode } from '../fields.ts'
import { DryRun } from '../plan.ts'
import { BULK_ITEM_STATUSES, BULK_STATUSES } from '../values.ts'
import { digits, Limit } from './activity.ts'
import { body } from './body.ts'
import { Before, Flag, someOf } from './operations.ts'
import { ProvisionServer, RestartService } from './servers.ts'

/** What can be done to many sites or servers, and what each call takes beside its targets. */
export const SITE_BULK_PARAMS = {
  'site.update': body({ php: PhpVersion.optional(), tier: Tier.optional() }).refine(
    ({ php, tier }) => php !== undefined || tier !== undefined,
    'Must name php or tier',
  ),
  'site.scan': body({}),
  'site.delete': body({}),
  'site.restore': body({}),
  'pool.apply': body({ tier: Tier }),
  'tls.issue': body({ tls: TlsMode }),
  'cache.purge': body({}),
} as const
export const SERVER_BULK_PARAMS = {
  'agent.upgrade': body({}),
  'server.provision': ProvisionServer.omit({ dry_run: true }),
  'server.sync': body({}),
  'service.restart': RestartService.omit({ dry_run: true }),
} as const

const BULK_TYPES = [
  'site.update',
  'site.scan',
  'site.delete',
  'site.restore',
  'pool.apply',
  'tls.issue',
  'cache.purge',
  'agent.upgrade',
  'server.provision',
  'server.sync',
  'service.restart',
] as const
export type BulkType = (typeof BULK_TYPES)[number]

const rule = `Must be one of ${BULK_TYPES.join(', ')}`
const BulkType = z.enum(BULK_TYPES, {
  error: ({ input }) => (input === undefined ? 'Type is required' : rule),
})

/** More than these are for several calls. */
export const MOST_ITEMS = 10_000
const MOST = `Must have at most ${MOST_ITEMS} ids`
const ids = z.array(Id, 'Must be lists of ids').max(MOST_ITEMS, MOST).default([])

/** All that any of the three names. On sites, servers stand for the sites that they have. */
export const BulkTargets = z.object(
  { site_ids: ids, server_ids: ids, tag: Tag.optional() },
  {
    error: ({ input }) =>
      input === undefined ? 'Targets are required' : 'Must be an object of lists of ids',
  },
)
export type BulkTargets = z.infer<typeof BulkTargets>

const whole = (least: number, most: number) => {
  const message = `Must be a whole number between ${least} and ${most}`
  return z.number(message).int(message).min(least, message).max(most, message)
}

/**
 * `parallel`: how many at once; `pause_after`: it pauses after so many failures in a row. `dry_run`
 * answers with the targets alone: the call for one of them tells its plan.
 */
export const CreateBulkOperation = body({
  type: BulkType,
  params: z.unknown().optional(),
  targets: BulkTargets,
  parallel: whole(1, 20).default(4),
  pause_after: whole(1, MOST_ITEMS).default(3),
  dry_run: DryRun,
})

export const BulkOperationsQuery = z.object({
  limit: Limit.default(50),
  before: Before.optional(),
  status: someOf(BULK_STATUSES).optional(),
  type: z.enum(BULK_TYPES, { error: rule }).optional(),
  active: Flag.optional(),
})
export type BulkOperationsQuery = z.infer<typeof BulkOperationsQuery>

export const BulkItemsQuery = z.object({
  limit: Limit.default(50),
  /** The `position` of the last one seen. */
  after: digits('Must be a position').optional(),
  status: someOf(BULK_ITEM_STATUSES).optional(),
})
export type BulkItemsQuery = z.infer<typeof BulkItemsQuery>

/** One site or server that something is, or would be, done to. */
export const BulkTarget = z.strictObject({
  server_id: z.number(),
  site_id: z.number().nullable(),
  domain: z.string(),
})
export type BulkTarget = z.infer<typeof BulkTarget>

const count = z.number()

/** `reason` tells why it is paused; `cancelled` without `finished_at` still ends what was running. */
export const BulkOperationView = z.strictObject({
  id: z.string(),
  type: BulkType,
  params: z.record(z.string(), z.unknown()),
  status: z.enum(BULK_STATUSES),
  reason: z.string(),
  parallel: count,
  pause_after: count,
  created_at: z.string(),
  finished_at: z.string().nullable(),
  counts: z.strictObject({
    total: count,
    waiting: count,
    running: count,
    success: count,
    failed: count,
    cancelled: count,
  }),
})
export type BulkOperationView = z.infer<typeof BulkOperationView>

/** `domain`: of the site, else the hostname of the server. `operation_id` is null until it begins. */
export const BulkItemView = z.strictObject({
  position: count,
  server_id: count,
  site_id: count.nullable(),
  domain: z.string(),
  status: z.enum(BULK_ITEM_STATUSES),
  operation_id: z.string().nullable(),
  error: z.object({ error: z.string(), message: z.string().optional() }).nullable(),
})
export type BulkItemView = z.infer<typeof BulkItemView>
