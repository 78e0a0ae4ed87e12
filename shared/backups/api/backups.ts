import { z } from 'zod'
import { BackupPlace, PublicKey } from '#shared/backups/backup.ts'
import { BackupParts } from '#shared/backups/backup-parts.ts'
import { BackupSecret, refuseSecret } from '#shared/backups/backup-secret.ts'
import { KeeperProblem } from '#shared/backups/keeper-report.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Id, ServerName } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { LastReplacement, MissingBackup } from './backup-list.ts'
import { KeeperKey, PlaceView } from './backup-place.ts'
import { schedule } from './backup-settings.ts'

export const CreateBackupTarget = body({
  name: ServerName,
  place: BackupPlace,
  secret: BackupSecret.default(''),
  keeper_key: KeeperKey.nullable().default(null),
})
  .superRefine(refuseSecret)
  .meta({ id: 'CreateBackupTarget' })

export const UpdateBackupTarget = body({
  name: ServerName.optional(),
  place: BackupPlace.optional().describe('If the place changes, its secret is required again.'),
  secret: BackupSecret.optional(),
  keeper_key: KeeperKey.nullable().optional(),
  is_default: z.literal(true, 'Must be true').optional(),
})
  .superRefine(refuseSecret)
  .meta({ id: 'UpdateBackupTarget' })

export const KeeperView = z
  .strictObject({
    at: Timestamp,
    is_late: z.boolean().describe('It has not run for 3 days.'),
    repositories: Count,
    backups: Count,
    postponed: Count,
    troubled: Count,
    forgotten: Count.describe('Snapshots that it deleted.'),
    problems: z
      .array(z.strictObject(KeeperProblem.shape))
      .describe('Damaged data first, at most 50.'),
  })
  .meta({ id: 'BackupKeeper', description: 'The last run of a keeper, as it reported it.' })
export type KeeperView = z.infer<typeof KeeperView>

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
    keeper_key: z.string().nullable().describe('The public key of its keeper; null: it has none.'),
    keeper: KeeperView.nullable().describe('The last run of its keeper; null: none is known.'),
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

export const BackupKits = z
  .strictObject({
    in_use: BackupKitView.nullable().describe(
      'The last confirmed one, with which backups are made; null: none start.',
    ),
    pending: BackupKitView.nullable().describe('A newer one that waits for its confirmation.'),
  })
  .meta({ id: 'BackupKits', description: 'The recovery kit in use, and one to be confirmed.' })
export type BackupKits = z.infer<typeof BackupKits>

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

export const ProveBackup = body({
  backup_id: Id.optional().describe('Default: the newest one.'),
  dry_run: DryRun,
}).meta({ id: 'ProveBackup' })

export const RestoreBackup = body({
  backup_id: Id,
  parts: BackupParts,
  dry_run: DryRun,
}).meta({ id: 'RestoreBackup' })

const ProofView = z
  .strictObject({
    at: Timestamp,
    proven: z.boolean(),
    findings: z.array(z.strictObject({ code: z.string(), message: z.string() })),
    files: Count,
    tables: Count,
    rows: Count,
    pages: Count.describe('The requested pages.'),
    seconds: z.number().nonnegative(),
  })
  .meta({ id: 'BackupProof', description: 'A restore of a backup into a hidden site.' })
export type ProofView = z.infer<typeof ProofView>

export const BackupView = z
  .strictObject({
    id: RecordId,
    at: Timestamp.describe('By the clock of its server.'),
    is_ahead: z
      .boolean()
      .describe('Whether `at` is more than an hour later than the dashboard recorded it.'),
    target_id: RecordId,
    target: z.string(),
    files: Count,
    tables: Count,
    bytes: Count.describe('Files and dump of the database, uncompressed.'),
    stored: Count.describe('What was added to the repository.'),
    seconds: z.number().nonnegative(),
    excluded: z.array(z.string()).describe('What it leaves out: paths below the public folder.'),
    proof: ProofView.nullable().describe('The last one; null: it has not been tried.'),
  })
  .meta({ id: 'Backup', description: 'A complete backup of a site.' })
export type BackupView = z.infer<typeof BackupView>

const RestoreRequest = z
  .strictObject({
    at: Timestamp,
    by: z.string().describe('The name of the client.'),
    email: z.string(),
    note: z.string().describe('What happened, in the words of the client.'),
    backup_id: RecordId.nullable().describe('Null: the client has chosen no backup.'),
    backup_at: Timestamp.nullable(),
  })
  .meta({
    id: 'RestoreRequest',
    description: 'A client asks the agency to restore a backup of a site.',
  })

export const SiteBackups = z
  .strictObject({
    backups: z.array(BackupView).describe('Newest first, at most 500.'),
    gone: z
      .array(MissingBackup)
      .describe('Those that are not in their targets any more, newest first, at most 100.'),
    obstacle: z
      .enum(['no_kit', 'no_target', 'target_unchecked'])
      .nullable()
      .describe('Why no backup can be created now.'),
    undo: LastReplacement.nullable().describe(
      'The last operation that replaced the state of the site, while it can be undone.',
    ),
    requested: RestoreRequest.nullable().describe('The open request of a client for a restore.'),
    ...schedule,
    next_proof_at: Timestamp.nullable().describe(
      'When its newest backup is proven at the earliest; null while none would be.',
    ),
  })
  .meta({ id: 'SiteBackups', description: 'The backups of a site.' })
export type SiteBackups = z.infer<typeof SiteBackups>
