import { z } from 'zod'
import {
  BACKUP_INTERVALS,
  BackupParts,
  BackupPlace,
  BackupSecret,
  PublicKey,
} from '#shared/backup.ts'
import { Id, oneOf } from '#shared/fields.ts'
import { DryRun } from '#shared/plan.ts'
import { body } from './body.ts'
import { Count, RecordId, Timestamp } from './parts.ts'

const Name = z
  .string({ error: ({ input }) => (input === undefined ? 'Name is required' : 'Must be a string') })
  .trim()
  .min(1, 'Must have 1 to 64 characters')
  .max(64, 'Must have 1 to 64 characters')

const secret = BackupSecret.describe(
  'The password (rest), secret key (s3) or private SSH key (sftp); empty for a local folder.',
)

export const CreateBackupTarget = body({
  name: Name,
  place: BackupPlace,
  secret: secret.default(''),
}).meta({ id: 'CreateBackupTarget' })

export const UpdateBackupTarget = body({
  name: Name.optional(),
  place: BackupPlace.optional().describe('Another place needs its secret.'),
  secret: secret.optional(),
  is_default: z.literal(true, 'Must be true').optional(),
}).meta({ id: 'UpdateBackupTarget' })

const text = z.string()
/** As it is recorded. */
const PlaceView = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rest'), url: text, user: text, ca: text }),
  z.strictObject({
    ...{ kind: z.literal('s3'), url: text, bucket: text, prefix: text, region: text },
    ...{ user: text, ca: text },
  }),
  z.strictObject({
    ...{ kind: z.literal('sftp'), host: text, port: z.int(), user: text, path: text },
    host_key: text,
  }),
  z.strictObject({ kind: z.literal('local'), path: text }),
])

export const BackupTargetView = z
  .strictObject({
    id: RecordId,
    name: z.string(),
    place: PlaceView,
    is_default: z.boolean().describe('Sites are backed up to it unless a call names another.'),
    checked_at: Timestamp.nullable().describe('Null: no server has written to it yet.'),
    append_only: z
      .boolean()
      .nullable()
      .describe('Whether it refused to delete what the check had written.'),
    backups: Count.describe('Backups of sites in it.'),
    created_at: Timestamp,
  })
  .meta({ id: 'BackupTarget', description: 'A place for backups of sites, without its secret.' })
export type BackupTargetView = z.infer<typeof BackupTargetView>

export const CheckBackupTarget = body({ target_id: Id, dry_run: DryRun }).meta({
  id: 'CheckBackupTarget',
})

export const CreateBackupKit = body({
  public_key: PublicKey.describe('RSA, at least 3072 bits.'),
}).meta({ id: 'CreateBackupKit' })

export const ConfirmBackupKit = body({
  answer: z
    .string({
      error: ({ input }) => (input === undefined ? 'Answer is required' : 'Must be a string'),
    })
    .max(1024)
    .describe('The decrypted challenge, in base64.'),
}).meta({ id: 'ConfirmBackupKit' })

export const BackupKitView = z
  .strictObject({
    fingerprint: z.string().describe('The beginning of the SHA-256 of the public key.'),
    created_at: Timestamp,
    confirmed_at: Timestamp.nullable().describe('Null: backups do not start yet.'),
  })
  .meta({ id: 'BackupKit', description: 'The key that opens backups without this dashboard.' })
export type BackupKitView = z.infer<typeof BackupKitView>

export const BackupKitCreated = z
  .strictObject({
    kit: BackupKitView,
    challenge: z.string().describe('32 bytes, encrypted to the kit, in base64.'),
  })
  .meta({ id: 'BackupKitCreated', description: 'A kit that is recorded, and not in use yet.' })

export const CreateBackup = body({
  target_id: Id.optional().describe('Default: the target of the site, or else the default one.'),
  dry_run: DryRun,
}).meta({ id: 'CreateBackup' })

export const RestoreBackup = body({
  backup_id: Id,
  parts: BackupParts,
  dry_run: DryRun,
}).meta({ id: 'RestoreBackup' })

export const BackupView = z
  .strictObject({
    id: RecordId,
    at: Timestamp,
    target_id: RecordId,
    target: z.string(),
    files: Count,
    tables: Count,
    bytes: Count.describe('Files and dump of the database, uncompressed.'),
    stored: Count.describe('What was added to the repository.'),
    seconds: z.number().nonnegative(),
  })
  .meta({ id: 'Backup', description: 'A complete backup of a site.' })
export type BackupView = z.infer<typeof BackupView>

const schedule = {
  every: z
    .enum(['default', ...BACKUP_INTERVALS])
    .describe('How often it is backed up; default: as the setting `backup_every`.'),
  target_id: RecordId.nullable().describe('Its own target; null: the default one.'),
  next_at: Timestamp.nullable().describe(
    'When its next backup starts at the earliest; null while none would start.',
  ),
}

export const SetBackupSettings = body({
  every: oneOf(['default', ...BACKUP_INTERVALS]),
  target_id: Id.nullable(),
}).meta({ id: 'SetBackupSettings' })

export const BackupSettings = z.strictObject(schedule).meta({
  id: 'BackupSettings',
  description: 'When and where a site is backed up by itself.',
})
export type BackupSettings = z.infer<typeof BackupSettings>

export const SiteBackups = z
  .strictObject({
    backups: z.array(BackupView).describe('Newest first, at most 500.'),
    obstacle: z
      .enum(['no_kit', 'no_target', 'target_unchecked'])
      .nullable()
      .describe('Why no backup can be created now.'),
    undo: z
      .strictObject({
        at: Timestamp.describe('The time of the backup that was restored.'),
        until: Timestamp,
      })
      .nullable()
      .describe('The last restore, while it can be undone.'),
    ...schedule,
  })
  .meta({ id: 'SiteBackups', description: 'The backups of a site.' })
export type SiteBackups = z.infer<typeof SiteBackups>
