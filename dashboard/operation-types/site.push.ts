import { backupFirst } from '#dashboard/backup-first/needed.ts'
import { refuseWithoutBackup } from '#dashboard/copies/recent-backup.ts'
import { stagingOf } from '#dashboard/copies/source.ts'
import type { OperationRules } from '#dashboard/operations/rules.ts'
import { restoreStatements } from '#dashboard/site-backups/restores.queries.ts'
import { atOnce, onSite, siteOf, unchangedOtherwise } from './parts.ts'

/** It can be undone like the restore of a backup. */
export const sitePush: OperationRules<'site.push'> = {
  ...onSite,
  ...atOnce,
  ...unchangedOtherwise,
  params: async (deps, target, { staging_id, without_backup, ...pushed }) => {
    const { id, domain } = siteOf(target)
    const from = await stagingOf(deps.db, id, staging_id)
    const isFirst = (await backupFirst(deps, { id }, { without_backup })) !== null
    if (!without_backup && !isFirst) await refuseWithoutBackup(deps, { id, domain })
    return { ...pushed, domain, from }
  },
  backup_first: (deps, target, input) => backupFirst(deps, siteOf(target), input),
  succeeded:
    ({ at, until }) =>
    (queries, { site_id }) =>
      site_id === null
        ? []
        : restoreStatements(queries, site_id, { at, until, cause: 'site.push' }),
  bulk: null,
}
