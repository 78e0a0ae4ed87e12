import { z } from 'zod'
import { BackupPath } from '#shared/backups/backup-parts.ts'
import { ARCHIVES, BackupListing } from '#shared/backups/backup-read.ts'
import { oneOf } from '#shared/kernel/fields.ts'

const Path = BackupPath.or(z.literal('')).default('')

export const BrowseBackupQuery = z.object({
  path: Path.describe('A folder below the public folder; default: the public folder itself.'),
})

export const DownloadBackupQuery = z.object({
  part: oneOf(['files', 'database']),
  path: Path.describe('A file or folder below the public one. Only for files.'),
  archive: oneOf(ARCHIVES).default('tar').describe('The format of a folder.'),
})
export type DownloadBackupQuery = z.infer<typeof DownloadBackupQuery>

export const BackupFiles = z
  .strictObject(BackupListing.shape)
  .meta({ id: 'BackupFiles', description: 'A folder of a backup, and the tables of the backup.' })
export type BackupFiles = z.infer<typeof BackupFiles>
