import { strictObject, z } from 'zod'
import { Recovery, siteRecoverType } from '#shared/copies/site.recover.ts'
import { RECORD_TYPES } from '#shared/domains/dns-choice.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, Failure, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { wholeNumber } from '#shared/kernel/fields.ts'
import { Accept, DryRun, Plan } from '#shared/kernel/plan.ts'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import { BulkOperationView, BulkTarget } from '#shared/operations/api/bulk-operations.ts'

const { sites: _, ...shape } = siteRecoverType.params.shape

export const RecoverSites = body({
  sites: z.array(Recovery, 'Must be a list of sites with their servers').max(10_000).default([]),
  dns: shape.dns,
  accept: Accept.optional(),
  parallel: wholeNumber(1, 20).default(4).describe('The number of parallel operations.'),
  confirm: z
    .string('Must be the name of the server')
    .optional()
    .describe('The name of the server, which confirms that it does not come back.'),
  dry_run: DryRun.describe('True: return the plan of each of the first 50 sites.'),
}).meta({ id: 'RecoverSites' })

export const RecoveryPlan = BulkTarget.extend({
  plan: Plan.nullable(),
  error: Failure.nullable().describe('Why the site cannot be restored there now.'),
}).meta({ id: 'RecoveryPlan', description: 'What the restore of one site would do.' })
export type RecoveryPlan = z.infer<typeof RecoveryPlan>

export const RecoveryPlans = strictObject({
  plans: z.array(RecoveryPlan),
  unplanned: Count.describe('The number of sites beyond the first 50, without a plan.'),
}).meta({ id: 'RecoveryPlans', description: 'What the restore would do, by site.' })
export type RecoveryPlans = z.infer<typeof RecoveryPlans>

export const RecoveryStarted = strictObject({
  bulk_operation: BulkOperationView.nullable().describe('Null: no site was named.'),
}).meta({ id: 'RecoveryStarted', description: 'The restore of the sites of a lost server.' })
export type RecoveryStarted = z.infer<typeof RecoveryStarted>

const LostBackup = strictObject({
  id: RecordId,
  at: Timestamp.describe('The time of the state that it has.'),
  target: z.string(),
  bytes: Count,
  proven: z.boolean().nullable().describe('Null: no test restore was tried.'),
  excluded: Count.describe('The number of paths that it leaves out.'),
}).meta({ id: 'LostBackup', description: 'The newest backup of a site of a lost server.' })

const LOST_STATES = ['restorable', 'restoring', 'restored', 'failed', 'lost'] as const

export const LostSite = strictObject({
  id: RecordId,
  domain: z.string(),
  server_id: RecordId.describe('The server that has its record now.'),
  php: z.string(),
  status: z.enum(SITE_STATUSES),
  state: z
    .enum(LOST_STATES)
    .describe('lost: nothing of it can be restored. failed: the last restore of it failed.'),
  reason: z.string().describe('Why it is lost, or why its restore failed; else empty.'),
  backup: LostBackup.nullable(),
}).meta({ id: 'LostSite', description: 'A site of a server that does not answer, or is lost.' })
export type LostSite = z.infer<typeof LostSite>

const Destination = strictObject({
  id: RecordId,
  name: z.string(),
  php_versions: z.array(z.string()),
  sites: Count,
  free_bytes: Count.nullable().describe('Of its disk; null while unknown.'),
}).meta({ id: 'RecoveryDestination', description: 'A server that can take sites.' })

const NeededRecord = strictObject({
  domain: z.string(),
  name: z.string(),
  type: z.enum(RECORD_TYPES),
  content: z.string(),
}).meta({
  id: 'NeededRecord',
  description: 'A DNS record of a restored site that no account of the dashboard can change.',
})

export const LostServerView = strictObject({
  declared_at: Timestamp.nullable().describe('Null: nobody has confirmed that it is lost.'),
  sites: z.array(LostSite).describe('By domain. Those of it, and those that were restored.'),
  destinations: z.array(Destination),
  records: z
    .array(NeededRecord)
    .describe('What the names of the restored sites need, where no DNS account has their zone.'),
}).meta({ id: 'LostServer', description: 'A server that is lost, or may be.' })
export type LostServerView = z.infer<typeof LostServerView>
