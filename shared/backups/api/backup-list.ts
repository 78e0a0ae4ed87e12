import { z } from 'zod'
import { REPLACEMENTS } from '#shared/backups/backup-schedule.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Domain } from '#shared/kernel/fields.ts'

export const RefreshedBackups = z
  .strictObject({
    gone: Count.describe('Backups that are not in their target any more.'),
    found: Count.describe('Newly recorded backups.'),
  })
  .meta({ id: 'RefreshedBackups', description: 'What has changed in the list of backups.' })
export type RefreshedBackups = z.infer<typeof RefreshedBackups>

export const RefreshGoneBackups = body({ domain: Domain.describe('Of the deleted site.') }).meta({
  id: 'RefreshGoneBackups',
})

export const GoneBackupsQuery = z.object({ domain: Domain.describe('Of the deleted site.') })

export const GoneBackup = z
  .strictObject({ id: RecordId, at: Timestamp, bytes: Count, target: z.string() })
  .meta({ id: 'GoneBackup', description: 'A backup of a deleted site.' })

export const MissingBackup = z.strictObject({
  id: RecordId,
  at: Timestamp,
  target: z.string(),
  gone_at: Timestamp.describe('Since when it is missing.'),
})

export const LastReplacement = z.strictObject({
  cause: z.enum(REPLACEMENTS).describe('The operation that replaced the state of the site.'),
  at: Timestamp.describe('The time of the backup, or that of the copy of a push or a refresh.'),
  until: Timestamp,
})
