import { bulkServers, serverCall } from '#dashboard/features/backups/parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { setServer } from '#dashboard/kernel/engine/types/queries.ts'

export const serverProvision: OperationRules<'server.provision'> = {
  ...serverCall,
  ...bulkServers,
  succeeded: ({ php_versions }) => setServer({ php_versions }),
}
