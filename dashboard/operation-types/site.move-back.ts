import { refuseUnmoved } from '#dashboard/moves/params.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { executedHere } from './moving-parts.ts'
import { siteOf } from './parts.ts'

export const siteMoveBack: OperationRules<'site.move-back'> = {
  ...executedHere,
  params: async (deps, target, { discard_changes }) => {
    await refuseUnmoved(deps, siteOf(target))
    return { discard_changes }
  },
}
