import { siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { repeatableMove } from './move-rules.ts'
import { moveBackParams } from './params.ts'

export const siteMoveBack: OperationRules<'site.move-back'> = {
  ...repeatableMove,
  params: (deps, target, input) => moveBackParams(deps, siteOf(target), input),
}
