import { bulkServers, onServer } from '#dashboard/features/backups/parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { storeIsolation } from '#dashboard/kernel/engine/types/queries.ts'

export const isolationCheck: OperationRules<'isolation.check'> = {
  ...onServer,
  ...bulkServers,
  params: () => ({}),
  joins: true,
  waits: { first: false, retry: true },
  succeeded: ({ results }) => storeIsolation({ results }),
  failed: (reason) => storeIsolation({ reason }),
  cancelled: () => NO_CHANGE,
}
