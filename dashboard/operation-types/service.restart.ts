import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { bulkServers, serverCall } from './parts.ts'

export const serviceRestart: OperationRules<'service.restart'> = {
  ...serverCall,
  ...bulkServers,
  succeeded: () => NO_CHANGE,
}
