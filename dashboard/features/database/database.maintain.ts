import { backupFirstOfSite } from '#dashboard/features/backups/backup-first/backup-needed.ts'
import {
  bulkInUse,
  domainOf,
  IN_USE,
  siteCall,
  siteOf,
} from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of maintenance, of which only a repair can lose rows. */
export const databaseMaintain: OperationRules<'database.maintain'> = {
  ...siteCall,
  ...bulkInUse,
  site: { states: IN_USE, found: false },
  params: (_, target, { action, tables }) => ({
    domain: domainOf(target),
    action,
    ...(tables && { tables }),
  }),
  backup_first: async (deps, target, { action, without_backup }) =>
    action === 'repair' ? backupFirstOfSite(deps, siteOf(target), { without_backup }) : null,
  succeeded: () => NO_CHANGE,
}
