import type { OperationRules } from '#dashboard/operations/rules.ts'
import { restoreStatements } from '#dashboard/site-backups/restores.queries.ts'
import { atOnce, domainOf, onSite, unchangedOtherwise } from './parts.ts'

export const backupUndo: OperationRules<'backup.undo'> = {
  ...onSite,
  ...atOnce,
  ...unchangedOtherwise,
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded:
    () =>
    (queries, { site_id }) =>
      site_id === null ? [] : restoreStatements(queries, site_id, null),
  bulk: null,
}
