import { refuseUnmoved } from '#dashboard/moves/params.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { executedHere } from './moving-parts.ts'
import { siteOf } from './parts.ts'

export const siteMoveConfirm: OperationRules<'site.move-confirm'> = {
  ...executedHere,
  params: async (deps, target) => {
    await refuseUnmoved(deps, siteOf(target))
    return {}
  },
}
