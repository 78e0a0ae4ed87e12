import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, bulkServers, onServer, unchangedOtherwise } from './parts.ts'

/** The next sync reads the remaining updates. */
export const serverUpdate: OperationRules<'server.update'> = {
  ...onServer,
  ...atOnce,
  ...bulkServers,
  ...unchangedOtherwise,
  params: (_, __, input) => input,
  excludes: 'nothing',
  succeeded: () => NO_CHANGE,
}
