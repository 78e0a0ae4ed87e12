import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { bulkServers, onServer, unchangedOtherwise } from './parts.ts'

/** The sync writes its results itself. */
export const serverSync: OperationRules<'server.sync'> = {
  ...onServer,
  ...bulkServers,
  ...unchangedOtherwise,
  params: () => ({}),
  joins: true,
  waits: { first: false, retry: false },
  succeeded: () => NO_CHANGE,
}
