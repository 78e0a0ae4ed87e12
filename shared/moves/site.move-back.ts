import { z } from 'zod'
import { TrueOrFalse } from '#shared/kernel/fields.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import { MoveResult } from './site.move.ts'

export const discard_changes = TrueOrFalse.default(false).describe(
  'Restore the state before the move, and lose the changes since then.',
)

export const siteMoveBackType = operationType({
  name: 'Move site back',
  title: 'Move back',
  target: 'site',
  command: null,
  right: 'operate',
  excludes: 'same_site_except_backup',
  params: z.object({ discard_changes }),
  confirms: {},
  outcome: completesWith(MoveResult),
  bulk: null,
})
