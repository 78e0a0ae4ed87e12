import { bulkServers, serverCall } from '#dashboard/features/backups/rule-parts.ts'
import { setServer } from '#dashboard/kernel/engine/record-changes.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

export const serverProvision: OperationRules<'server.provision'> = {
  ...serverCall,
  ...bulkServers,
  succeeded: ({ php_versions }) => setServer({ php_versions }),
}
