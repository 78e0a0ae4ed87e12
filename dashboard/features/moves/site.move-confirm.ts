import { siteOf } from '#dashboard/features/backups/parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { executedHere } from './moving-parts.ts'
import { refuseUnmoved } from './params.ts'

export const siteMoveConfirm: OperationRules<'site.move-confirm'> = {
  ...executedHere,
  params: async (deps, target) => {
    await refuseUnmoved(deps, siteOf(target))
    return {}
  },
}
