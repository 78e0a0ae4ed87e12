import { siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { runByDashboard } from './move-rules.ts'
import { refuseUnmoved } from './params.ts'

export const siteMoveConfirm: OperationRules<'site.move-confirm'> = {
  ...runByDashboard,
  params: async (deps, target) => {
    await refuseUnmoved(deps, siteOf(target))
    return {}
  },
}
