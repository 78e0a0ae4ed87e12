import { bulkServers, serverCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const serviceRestart: OperationRules<'service.restart'> = {
  ...serverCall,
  ...bulkServers,
  succeeded: () => NO_CHANGE,
}
