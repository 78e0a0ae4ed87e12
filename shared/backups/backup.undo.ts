import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  completesWith,
  noParams,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'

const backupUndo = command({
  name: 'backup.undo',
  summary: 'Undo the last restore of a backup: restore the previous files and database',
  changes: true,
  minutes: 12 * 60,
  silent_minutes: 15,
  params: z.object({ domain: Domain }),
  result: z.object({ domain: ReportedDomain }),
})

export const backupUndoType = operationType({
  name: 'Undo restore',
  title: 'Undo the restore of',
  target: 'site',
  command: backupUndo,
  right: 'operate',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(backupUndo.result),
  bulk: null,
})
