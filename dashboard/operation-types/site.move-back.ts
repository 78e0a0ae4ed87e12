import { moveBackParams } from '#dashboard/moves/params.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { repeatable } from './moving-parts.ts'
import { siteOf } from './parts.ts'

export const siteMoveBack: OperationRules<'site.move-back'> = {
  ...repeatable,
  params: (deps, target, input) => moveBackParams(deps, siteOf(target), input),
}
