import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { bulkServers, onServer } from './parts.ts'
import { storeIsolation } from './queries.ts'

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
