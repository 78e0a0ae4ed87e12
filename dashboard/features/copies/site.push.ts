import { backupFirst } from '#dashboard/features/backups/backup-first/needed.ts'
import { replacedBy, siteCall, siteOf } from '#dashboard/features/backups/parts.ts'
import { purgesCdn } from '#dashboard/features/domains/dns/purge.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { refuseWithoutBackup } from './recent-backup.ts'
import { stagingOf } from './source.ts'

/** It can be undone like the restore of a backup. */
export const sitePush: OperationRules<'site.push'> = {
  ...siteCall,
  ...purgesCdn,
  params: async (deps, target, { staging_id, without_backup, ...pushed }) => {
    const { id, domain } = siteOf(target)
    const from = await stagingOf(deps.db, id, staging_id)
    const isFirst = (await backupFirst(deps, { id }, { without_backup })) !== null
    if (!without_backup && !isFirst) await refuseWithoutBackup(deps, { id, domain })
    return { ...pushed, domain, from }
  },
  backup_first: (deps, target, input) => backupFirst(deps, siteOf(target), input),
  succeeded: replacedBy('site.push'),
  bulk: null,
}
