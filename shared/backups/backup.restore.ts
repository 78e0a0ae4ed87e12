import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Id, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { KnownRepository, SnapshotId } from './backup.ts'
import { BackupParts } from './backup-parts.ts'

/** `backup` is the snapshot of the manifest. */
const backupRestore = command({
  name: 'backup.restore',
  summary: 'Replace the files or the database of a site by those of a backup',
  changes: true,
  needs: () => NEEDS.backups,
  minutes: 24 * 60,
  silent_minutes: 15,
  params: KnownRepository.extend({
    domain: Domain,
    backup: SnapshotId,
    parts: BackupParts,
  }),
  /** `until` is the time until which the previous state is kept. */
  result: z.object({
    domain: ReportedDomain,
    at: z.iso.datetime().describe('The time of the backup.'),
    until: z.iso.datetime().describe('The previous files and database are kept until then.'),
  }),
})

export const backupRestoreType = operationType({
  name: 'Restore backup',
  title: 'Restore a backup of',
  target: 'site',
  command: backupRestore,
  right: 'operate',
  client_right: 'restore',
  params: z.object({ backup_id: Id, parts: BackupParts }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(backupRestore.result),
  bulk: null,
})
