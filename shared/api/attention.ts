import { z } from 'zod'
import { Count, RecordId } from './parts.ts'

/** Most severe first; the overview shows equal items in this order. */
export const ATTENTION_KINDS = [
  'server_offline',
  'site_down',
  'disk_full',
  'service_failed',
  'service_restarts',
  'isolation',
  'site_failed',
  'site_degraded',
  'certificate',
  'mail',
  'site_disk',
  'operation_failed',
  'site_missing',
  'security_updates',
  'reboot_needed',
  'old_files',
  'sites_not_recorded',
  'php_eol',
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
  .describe('The filters of `GET /api/fleet/sites` that list all of them; null where none do.')

export const AttentionItem = z
  .strictObject({
    severity: Severity,
    server_id: RecordId.nullable(),
    site_id: RecordId.nullable(),
    operation_id: z.string().nullable().describe('The operation that can be repeated.'),
    name: z.string().describe('Of the server, the domain of the site, or a PHP version.'),
    reason: z.string().describe('What is wrong and what to do, in one sentence.'),
    at: z
      .string()
      .nullable()
      .describe('Since when, or until when a certificate holds: a time or a date.'),
    count: Count.describe(
      'How many sites it stands for; 1 but for a PHP version or sites that are not recorded.',
    ),
    query: Query,
  })
  .meta({ id: 'AttentionItem', description: 'One thing that a person should look at.' })
export type AttentionItem = z.infer<typeof AttentionItem>

export const Attention = z
  .strictObject({
    kind: z.enum(ATTENTION_KINDS),
    severity: Severity.describe('That of the most severe item.'),
    total: Count.describe('How many there are; of php_eol and sites_not_recorded, how many sites.'),
    items: z.array(AttentionItem).describe('The most severe items, at most 20.'),
    query: Query,
  })
  .meta({ id: 'Attention', description: 'All of one kind that a person should look at.' })
export type Attention = z.infer<typeof Attention>
