import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { restoreStatements } from './restores.queries.ts'
import { domainOf, siteCall } from './rule-parts.ts'

export const backupUndo: OperationRules<'backup.undo'> = {
  ...siteCall,
  params: (_, target) => ({ domain: domainOf(target) }),
  succeeded:
    () =>
    (queries, { site_id }) =>
      site_id === null ? [] : restoreStatements(queries, site_id, null),
  bulk: null,
}
