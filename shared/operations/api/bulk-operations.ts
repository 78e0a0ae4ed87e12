import { strictObject, z } from 'zod'
import { digits, Limit } from '#shared/kernel/api/activity.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, Failure, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Flag, someOf } from '#shared/kernel/api/query.ts'
import { Id, oneOf, required, Tag, TrueOrFalse, wholeNumber } from '#shared/kernel/fields.ts'
import { DryRun, Effect } from '#shared/kernel/plan.ts'
import { BULK_ITEM_STATUSES, BULK_STATUSES } from '#shared/kernel/values.ts'
import { BULK_NAMES } from '#shared/operation-types.ts'
import { Before } from './operations.ts'

const BulkType = z.enum(BULK_NAMES, required('Type', `Must be one of ${BULK_NAMES.join(', ')}`))

/** The maximum number of targets; larger selections need several calls. */
export const MAX_ITEMS = 10_000
const MAX_ITEMS_MESSAGE = `Must have at most ${MAX_ITEMS} ids`
const ids = z.array(Id, 'Must be lists of ids').max(MAX_ITEMS, MAX_ITEMS_MESSAGE).default([])

const TARGETS = { site_ids: ids, server_ids: ids, tag: Tag.optional() }

/** The targets of a call. A misspelt key is refused, as it would select others. */
export const BulkTargets = strictObject(TARGETS, {
  error: (issue) => {
    if (issue.code === 'unrecognized_keys')
      return `Must not have ${issue.keys.join(', ')}: the keys are ${Object.keys(TARGETS).join(', ')}`
    if (issue.input === undefined) return 'Targets are required'
    return 'Must be an object of lists of ids'
  },
}).meta({
  id: 'BulkTargets',
  description:
    'All targets that any of the three lists selects. For an operation on sites, servers mean their sites.',
})
export type BulkTargets = z.infer<typeof BulkTargets>

export const CreateBulkOperation = body({
  type: BulkType,
  params: z
    .unknown()
    .optional()
    .describe(
      'The fields of the call for one target, such as `{"tier": "large"}`; a field that the type does not have in bulk is refused.',
    ),
  targets: BulkTargets,
  parallel: wholeNumber(1, 20).default(4).describe('The number of parallel operations.'),
  pause_after: wholeNumber(1, MAX_ITEMS)
    .default(3)
    .describe('Pauses after this many consecutive failures.'),
  dry_run: DryRun.describe(
    'True: return the selected and the skipped targets. The call for one target returns its plan.',
  ),
  with_asks: TrueOrFalse.default(false).describe(
    'With `dry_run`: also return what it would change on each of the first 50 targets that Hosting Control did not make.',
  ),
}).meta({ id: 'CreateBulkOperation' })

export const BulkOperationsQuery = z.object({
  limit: Limit.default(50),
  before: Before.optional(),
  status: someOf(BULK_STATUSES).optional(),
  type: oneOf(BULK_NAMES).optional(),
  active: Flag.optional(),
})
export type BulkOperationsQuery = z.infer<typeof BulkOperationsQuery>

export const BulkItemsQuery = z.object({
  limit: Limit.default(50),
  after: digits('Must be a position').optional().describe('The position of the last one seen.'),
  status: someOf(BULK_ITEM_STATUSES).optional(),
})
export type BulkItemsQuery = z.infer<typeof BulkItemsQuery>

/** One site or server that the call selects. */
export const BulkTarget = strictObject({
  server_id: RecordId,
  site_id: RecordId.nullable(),
  domain: z.string().describe('Of the site, else the hostname of the server.'),
}).meta({ id: 'BulkTarget', description: 'A selected site or server.' })
export type BulkTarget = z.infer<typeof BulkTarget>

/** A target that was named and does not qualify. */
export const SkippedTarget = BulkTarget.extend({
  error: Failure.describe('The refusal of the call for it alone.'),
}).meta({ id: 'SkippedTarget', description: 'A named site that is skipped, and why.' })
export type SkippedTarget = z.infer<typeof SkippedTarget>

/** The changes for one target that must be accepted, or why they are unknown. */
export const BulkAsk = BulkTarget.extend({
  effects: z.array(Effect).describe('Each has the consent that it needs in `asks`.'),
  error: Failure.nullable().describe('Why there is no plan, such as an agent that is offline.'),
}).meta({
  id: 'BulkAsk',
  description: 'One target with changes that must be accepted, or without a plan.',
})
export type BulkAsk = z.infer<typeof BulkAsk>

export const BulkAsks = strictObject({
  asks: z.array(BulkAsk).describe('Targets without such changes are omitted.'),
  unasked: Count.describe('The number of targets beyond the first 50, without a plan.'),
}).meta({ id: 'BulkAsks', description: 'The changes that must be accepted, by target.' })
export type BulkAsks = z.infer<typeof BulkAsks>

export const BulkOperationView = strictObject({
  id: z.string(),
  type: BulkType,
  params: z.record(z.string(), z.unknown()),
  status: z
    .enum(BULK_STATUSES)
    .describe('cancelled without `finished_at`: running items are ending.'),
  reason: z.string().describe('Why it is paused, else empty.'),
  parallel: Count,
  pause_after: Count,
  created_at: Timestamp,
  finished_at: Timestamp.nullable(),
  counts: z.strictObject({
    total: Count,
    waiting: Count,
    running: Count,
    success: Count,
    failed: Count,
    cancelled: Count,
    skipped: Count.describe('Skipped from the start, and not part of the outcome.'),
  }),
}).meta({ id: 'BulkOperationView', description: 'One operation on many sites or servers.' })
export type BulkOperationView = z.infer<typeof BulkOperationView>

export const BulkItemView = strictObject({
  position: RecordId.describe('1 is the first.'),
  server_id: RecordId,
  site_id: RecordId.nullable(),
  domain: z.string().describe('Of the site, else the hostname of the server.'),
  status: z.enum(BULK_ITEM_STATUSES),
  operation_id: z.string().nullable().describe('Null until it starts.'),
  error: Failure.nullable(),
}).meta({ id: 'BulkItemView', description: 'One site or server of a bulk operation.' })
export type BulkItemView = z.infer<typeof BulkItemView>
