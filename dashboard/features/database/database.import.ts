import { backupFirstOfSite } from '#dashboard/features/backups/backup-first/backup-needed.ts'
import { restoreStatements } from '#dashboard/features/backups/restores.queries.ts'
import { domainOf, IN_USE, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of an import, which can be undone like the restore of a backup. */
export const databaseImport: OperationRules<'database.import'> = {
  ...siteCall,
  site: { states: IN_USE, found: false },
  params: (_, target, { without_backup: _skips, ...input }) => ({
    domain: domainOf(target),
    ...input,
  }),
  backup_first: (deps, target, input) => backupFirstOfSite(deps, siteOf(target), input),
  succeeded:
    ({ at, until }) =>
    (queries, { site_id }) =>
      site_id === null
        ? []
        : restoreStatements(queries, site_id, { at, until, cause: 'database.import' }),
  bulk: null,
}
