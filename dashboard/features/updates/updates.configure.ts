import { serverCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const updatesConfigure: OperationRules<'updates.configure'> = {
  ...serverCall,
  succeeded: () => NO_CHANGE,
  bulk: null,
}
