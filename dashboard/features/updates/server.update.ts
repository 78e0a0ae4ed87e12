import { backupFirstOfServer } from '#dashboard/features/backups/backup-first/backup-needed.ts'
import { bulkServers, serverCall } from '#dashboard/features/backups/rule-parts.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'

/** The rules of updates, of which the next sync reads the remaining ones. */
export const serverUpdate: OperationRules<'server.update'> = {
  ...serverCall,
  ...bulkServers,
  params: (_, __, { without_backup: _skips, ...params }) => params,
  // A security update must not wait for backups, and is the smallest change that there is.
  backup_first: async (deps, { server }, { scope, without_backup }) =>
    scope === 'all' ? backupFirstOfServer(deps, server.id, { without_backup }) : null,
  succeeded: () => NO_CHANGE,
}
