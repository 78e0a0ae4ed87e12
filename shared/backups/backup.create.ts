import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Id, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { bulkParams, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import {
  BackupReport,
  BackupTarget,
  PublicKey,
  RepositoryName,
  SealedText,
  SnapshotId,
} from './backup.ts'
import { BackupExcludes } from './backup-exclude.ts'
import { PasswordId, SentPassword } from './backup-secret.ts'

/**
 * Encrypts the password of a new repository to `dashboard_key` and `recovery_key`. The dashboard
 * gets its copy in the result; the copies for the recovery key and for `keeper_key`, the key of the
 * program that deletes old backups beside the storage, are kept in the repository. The dashboard
 * chooses `repository`. `password_id` is absent for a new one, for which the server makes a
 * password.
 */
const backupCreate = command({
  name: 'backup.create',
  summary: 'Back up the files and the database of a site',
  changes: true,
  needs: () => NEEDS.backups,
  minutes: 24 * 60,
  silent_minutes: 15,
  params: z.object({
    domain: Domain,
    target: BackupTarget,
    repository: RepositoryName,
    dashboard_key: PublicKey,
    recovery_key: PublicKey,
    keeper_key: PublicKey.optional(),
    password_id: PasswordId.optional(),
    password: SentPassword,
    exclude: BackupExcludes.optional(),
  }),
  result: z.object({
    domain: ReportedDomain,
    backup: BackupReport,
    sealed_password: SealedText,
    present: z
      .array(SnapshotId)
      .max(20_000)
      .optional()
      .describe('The backups that are in the repository: the manifests.'),
  }),
})

export const backupCreateType = operationType({
  name: 'Back up site',
  title: 'Back up',
  target: 'site',
  command: backupCreate,
  right: 'operate',
  excludes: 'changes_of_site',
  params: z.object({ target_id: Id.optional().describe('Default: the target of the site.') }),
  confirms: { ...SAME_DOMAIN, 'backup.repository': 'repository' },
  outcome: {
    result: backupCreate.result,
    complete: backupCreate.result
      .omit({ sealed_password: true, present: true })
      .extend({ status: z.literal('ok') }),
    data: ({ sealed_password: _, present: __, ...report }) => ({ status: 'ok', ...report }),
  },
  bulk: {
    title: 'Back up',
    params: bulkParams({ target_id: Id.optional() }),
    words: { target_id: 'target' },
  },
})
