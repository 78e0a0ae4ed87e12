import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Id } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import { BackupTarget } from './backup.ts'

const backupCheck = command({
  name: 'backup.check',
  summary: 'Check that this server can write to a backup target and read from it',
  changes: true,
  needs: () => NEEDS.backups,
  minutes: 10,
  params: z.object({ target: BackupTarget }),
  /** `append_only` is true when the target refused to delete what the check had written. */
  result: z.object({ append_only: z.boolean() }),
})

export const backupCheckType = operationType({
  name: 'Check backup target',
  title: 'Check the backup target from',
  target: 'server',
  command: backupCheck,
  right: 'admin',
  excludes: 'same_type',
  params: z.object({ target_id: Id }),
  confirms: {},
  outcome: completesWith(backupCheck.result),
  bulk: null,
})
