import {
  bulkServers,
  onServer,
  unchangedOtherwise,
} from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of a sync, which writes its results itself. */
export const serverSync: OperationRules<'server.sync'> = {
  ...onServer,
  ...bulkServers,
  ...unchangedOtherwise,
  params: () => ({}),
  joins: true,
  waits: { first: false, retry: false },
  succeeded: () => NO_CHANGE,
}
