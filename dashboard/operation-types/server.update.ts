import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { bulkServers, serverCall } from './parts.ts'

/** The next sync reads the remaining updates. */
export const serverUpdate: OperationRules<'server.update'> = {
  ...serverCall,
  ...bulkServers,
  succeeded: () => NO_CHANGE,
}
