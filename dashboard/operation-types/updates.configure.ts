import { NO_CHANGE, type OperationRules } from '#dashboard/operations/rules.ts'
import { atOnce, onServer, unchangedOtherwise } from './parts.ts'

export const updatesConfigure: OperationRules<'updates.configure'> = {
  ...onServer,
  ...atOnce,
  ...unchangedOtherwise,
  params: (_, __, input) => input,
  excludes: 'nothing',
  succeeded: () => NO_CHANGE,
  bulk: null,
}
