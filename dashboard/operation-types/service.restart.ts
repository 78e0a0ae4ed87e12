import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, bulkServers, onServer, unchangedOtherwise } from './parts.ts'

export const serviceRestart: OperationRules<'service.restart'> = {
  ...onServer,
  ...atOnce,
  ...bulkServers,
  ...unchangedOtherwise,
  params: (_, __, input) => input,
  excludes: 'nothing',
  succeeded: () => NO_CHANGE,
}
