import type { OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, bulkServers, onServer, unchangedOtherwise } from './parts.ts'
import { setServer } from './queries.ts'

export const serverProvision: OperationRules<'server.provision'> = {
  ...onServer,
  ...atOnce,
  ...bulkServers,
  ...unchangedOtherwise,
  params: (_, __, input) => input,
  excludes: 'nothing',
  succeeded: ({ php_versions }) => setServer({ php_versions }),
}
