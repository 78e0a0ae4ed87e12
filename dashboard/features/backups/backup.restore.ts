import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { paramsForAgent, restoreParams } from './params.ts'
import { replacedBy, siteCall, siteOf } from './rule-parts.ts'

export const backupRestore: OperationRules<'backup.restore'> = {
  ...siteCall,
  params: async (deps, target, { backup_id, parts }) => {
    const { id, domain } = siteOf(target)
    return { domain, parts, ...(await restoreParams(deps, id, backup_id)) }
  },
  sent: paramsForAgent,
  succeeded: replacedBy('backup.restore'),
  bulk: null,
}
