import { z } from 'zod'
import { Email, PhpVersion, Tier, TlsMode } from '#shared/kernel/fields.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import { KnownRepository, SnapshotId } from './backup.ts'
import { BackupPath } from './backup-parts.ts'

/** The maximum number of entries of a listing: further ones are only announced. */
export const MAX_ENTRIES = 1000
const MAX_TABLES = 10_000

const Repository = KnownRepository.extend({
  backup: SnapshotId.describe('The snapshot of the manifest.'),
})

/** A folder below the public one, or that itself when empty. */
const Folder = BackupPath.or(z.literal(''))

/** `POST /backups/browse` of an agent. */
export const BrowseRequest = Repository.extend({ path: Folder })
export type BrowseRequest = z.output<typeof BrowseRequest>

export const BackupEntry = z.object({
  name: z.string().max(1024),
  kind: z.enum(['file', 'directory', 'link', 'other']),
  size: z.number().nonnegative(),
  at: z.string().max(64).describe('The time of its last change.'),
  /** False for a name that a call cannot have: the folder above can be chosen. */
  can_choose: z.boolean(),
})
export type BackupEntry = z.infer<typeof BackupEntry>

export const BackupListing = z.object({
  entries: z.array(BackupEntry).max(MAX_ENTRIES).describe('Folders first, each by name.'),
  is_cut: z.boolean().describe('There are more entries.'),
  tables: z
    .array(z.string().max(256))
    .max(MAX_TABLES)
    .nullable()
    .describe('Null: the backup has no list of its tables.'),
})
export type BackupListing = z.infer<typeof BackupListing>

/** The site in its backup, from which it can be created again. */
export const RecordedSite = z.object({
  php: PhpVersion,
  tier: Tier,
  tls: TlsMode,
  email: Email,
  names: SiteNames.optional().describe('Absent: only its primary domain.'),
})
export type RecordedSite = z.infer<typeof RecordedSite>

/** The answer of an agent; `site` is absent without a record of the site in the backup. */
export const BrowsedBackup = BackupListing.extend({ site: RecordedSite.optional() })
export type BrowsedBackup = z.infer<typeof BrowsedBackup>

export const ARCHIVES = ['tar', 'zip'] as const

/** `POST /backups/download` of an agent, which answers with the bytes. */
export const DownloadRequest = Repository.extend({
  part: z.enum(['files', 'database']),
  path: Folder.describe('A file is sent as it is, a folder as an archive.'),
  archive: z.enum(ARCHIVES),
})
export type DownloadRequest = z.output<typeof DownloadRequest>

/** The media types of a download. */
export const MEDIA = {
  tar: 'application/x-tar',
  zip: 'application/zip',
  sql: 'application/sql',
  file: 'application/octet-stream',
} as const
