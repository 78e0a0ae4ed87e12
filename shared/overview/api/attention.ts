import { strictObject, z } from 'zod'
import { Count, RecordId } from '#shared/kernel/api/parts.ts'

/** The number of single items of a kind. */
export const SHOWN = 20

/** The kinds, most severe first; the overview shows equal items in this order. */
export const ATTENTION_KINDS = [
  'records_changed',
  'factor_reset',
  'owner_made',
  'server_offline',
  'site_down',
  'disk_full',
  'service_failed',
  'service_restarts',
  'site_identity',
  'foreign_address',
  'isolation',
  'site_failed',
  'site_degraded',
  'certificate',
  'mail',
  'report_mail',
  'restore_requested',
  'site_jobs',
  'backup_missing',
  'backup_proof_failed',
  'backup_late',
  'backup_failed',
  'dashboard_backup',
  'backup_keeper',
  'backup_unproven',
  'site_disk',
  'operation_failed',
  'site_missing',
  'security_updates',
  'reboot_needed',
  'old_files',
  'sites_not_recorded',
  'php_eol',
  'backup_setup',
  'agent_outdated',
  'name_conflict',
  'updates',
] as const
export type AttentionKind = (typeof ATTENTION_KINDS)[number]

export const SEVERITIES = ['critical', 'warning', 'info'] as const

const Severity = z
  .enum(SEVERITIES)
  .describe('critical: affects visitors now or within days; info: a suggestion.')

const Query = z
  .record(z.string(), z.string())
  .nullable()
  .describe('The filters of `GET /api/fleet/sites` that list all of them; null if there are none.')

export const AttentionItem = strictObject({
  severity: Severity,
  server_id: RecordId.nullable(),
  site_id: RecordId.nullable(),
  operation_id: z.string().nullable().describe('The operation that can be retried.'),
  name: z.string().describe('The name of the server, the domain of the site, or a PHP version.'),
  subject: z
    .string()
    .describe('The part of the server that has the problem, such as a service; empty: all of it.'),
  reason: z.string().describe('The problem and its solution, in one sentence.'),
  at: z
    .string()
    .nullable()
    .describe('The start, or the expiry of a certificate: a time or a date.'),
  count: Count.describe(
    'The number of sites of a PHP version, not recorded, or with late backups; else 1.',
  ),
  query: Query,
}).meta({ id: 'AttentionItem', description: 'One problem that needs attention.' })
export type AttentionItem = z.infer<typeof AttentionItem>

export const Attention = strictObject({
  kind: z.enum(ATTENTION_KINDS),
  severity: Severity.describe('The severity of the most severe item.'),
  total: Count.describe(
    'The number of items; of sites for php_eol, backup_late and sites_not_recorded.',
  ),
  items: z.array(AttentionItem).describe(`The most severe items, at most ${SHOWN}.`),
  query: Query,
}).meta({ id: 'Attention', description: 'All items of one kind.' })
export type Attention = z.infer<typeof Attention>
