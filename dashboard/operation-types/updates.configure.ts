import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { serverCall } from './parts.ts'

export const updatesConfigure: OperationRules<'updates.configure'> = {
  ...serverCall,
  succeeded: () => NO_CHANGE,
  bulk: null,
}
