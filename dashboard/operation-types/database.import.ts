import { backupFirst } from '#dashboard/backup-first/needed.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { restoreStatements } from '#dashboard/site-backups/restores.queries.ts'
import { domainOf, IN_USE, siteCall, siteOf } from './parts.ts'

/** It can be undone like the restore of a backup. */
export const databaseImport: OperationRules<'database.import'> = {
  ...siteCall,
  site: { states: IN_USE, found: false },
  params: (_, target, { without_backup: _skips, ...input }) => ({
    domain: domainOf(target),
    ...input,
  }),
  backup_first: (deps, target, input) => backupFirst(deps, siteOf(target), input),
  succeeded:
    ({ at, until }) =>
    (queries, { site_id }) =>
      site_id === null
        ? []
        : restoreStatements(queries, site_id, { at, until, cause: 'database.import' }),
  bulk: null,
}
