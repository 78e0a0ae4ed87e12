import type { OperationRules } from '#dashboard/operations/rules.ts'
import { bulkServers, serverCall } from './parts.ts'
import { setServer } from './queries.ts'

export const serverProvision: OperationRules<'server.provision'> = {
  ...serverCall,
  ...bulkServers,
  succeeded: ({ php_versions }) => setServer({ php_versions }),
}
