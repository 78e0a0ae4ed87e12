import { bulkServers, onServer } from '#dashboard/features/backups/rule-parts.ts'
import { storeIsolation } from '#dashboard/kernel/engine/record-changes.queries.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

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
