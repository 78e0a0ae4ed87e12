import { backupFirst } from '#dashboard/backup-first/needed.ts'
import { refuseWithoutBackup } from '#dashboard/copies/recent-backup.ts'
import { stagingOf } from '#dashboard/copies/source.ts'
import { purgesCdn } from '#dashboard/dns/purge.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { replacedBy, siteCall, siteOf } from './parts.ts'

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
