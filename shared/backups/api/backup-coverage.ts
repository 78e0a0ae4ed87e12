import { z } from 'zod'
import { digits, Limit } from '#shared/kernel/api/activity.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { someOf } from '#shared/kernel/api/query.ts'
import { BackupKitView, BackupTargetView } from './backups.ts'

/**
 * unproven: no backup was proven for two intervals of proofs; failed: the last proof had findings;
 * late: the last backup is older than two intervals; off: no backup is created automatically.
 */
export const COVERAGE_STATES = ['ok', 'unproven', 'failed', 'late', 'never', 'off'] as const
export type CoverageState = (typeof COVERAGE_STATES)[number]

export const BackupCoverageQuery = z.object({
  q: z
    .string()
    .trim()
    .max(253, 'Must have at most 253 characters')
    .optional()
    .describe('Words that must all be part of the domain or the system user.'),
  server_id: digits('Must be an id').optional(),
  state: someOf(COVERAGE_STATES).optional(),
  page: digits('Must be a whole number above 0').default(1).describe('1 is the first.'),
  per_page: Limit.default(50).describe('Up to 500; default 50.'),
})
export type BackupCoverageQuery = z.infer<typeof BackupCoverageQuery>

const CoveredSite = z
  .strictObject({
    id: RecordId,
    domain: z.string(),
    server_id: RecordId,
    server: z.string().describe('The name of the server.'),
    state: z
      .enum(COVERAGE_STATES)
      .describe(
        'By the age of the last backup and of the last proof; late: the backup is older than two intervals; failed: the last proof had findings; unproven: no backup was proven for two intervals of proofs; off: no backup starts automatically.',
      ),
    last_at: Timestamp.nullable().describe('The time of the last backup; null: there is none.'),
    proven_at: Timestamp.nullable().describe('When a backup was proven last; null: never.'),
    next_at: Timestamp.nullable().describe(
      'When the next one starts at the earliest; null while none would start.',
    ),
    bytes: Count.nullable().describe('Files and database of the last backup, uncompressed.'),
    target: z.string().nullable().describe('Where the last backup is; null: there is none.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed; null: it succeeded, or there is none.'),
  })
  .meta({ id: 'CoveredSite', description: 'A site with the state of its backups.' })
export type CoveredSite = z.infer<typeof CoveredSite>

const GoneSite = z
  .strictObject({
    domain: z.string(),
    target: z.string(),
    count: Count,
    backup_id: RecordId.describe('The last backup.'),
    last_at: Timestamp,
    bytes: Count.describe('Files and database of the last backup, uncompressed.'),
  })
  .meta({ id: 'GoneSite', description: 'Backups of a deleted site.' })
export type GoneSite = z.infer<typeof GoneSite>

export const BackupCoverage = z
  .strictObject({
    kit: BackupKitView.nullable().describe('The one in use; null: none is confirmed.'),
    targets: z.array(BackupTargetView),
    counts: z
      .strictObject({
        sites: Count,
        ok: Count,
        unproven: Count,
        failed: Count,
        late: Count,
        never: Count,
        off: Count,
        week: Count.describe('Late or never backed up, and without a backup for 7 days.'),
        unproven_week: Count.describe(
          'Backed up by themselves, and without a backup that was proven in the last 7 days.',
        ),
      })
      .describe('Of all sites, whatever the filters.'),
    sites: z.array(CoveredSite).describe('By domain: managed sites that are not in the trash.'),
    total: Count.describe('The total of all matching sites.'),
    page: RecordId,
    per_page: RecordId,
    gone: z
      .array(GoneSite)
      .describe('Backups whose site was deleted permanently: newest first, at most 500.'),
  })
  .meta({ id: 'BackupCoverage', description: 'Which sites have backups.' })
export type BackupCoverage = z.infer<typeof BackupCoverage>
