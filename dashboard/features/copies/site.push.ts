import {
  backupFirstOfSite,
  hasRecentBackup,
} from '#dashboard/features/backups/backup-first/backup-needed.ts'
import { replacedBy, siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { obstacleOf } from '#dashboard/features/backups/show-backups.ts'
import { purgesCdn } from '#dashboard/features/domains/dns/purge.ts'
import type { OperationRules, RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { retriedStaging, stagingDomainOf } from './copy-source.ts'

/** The rules of a push, which can be undone like the restore of a backup. */
export const sitePush: OperationRules<'site.push'> = {
  ...siteCall,
  ...purgesCdn,
  params: async (deps, target, { staging_id, without_backup, ...pushed }) => {
    const { id, domain } = siteOf(target)
    const from = await stagingDomainOf(deps.db, id, staging_id)
    const isFirst = (await backupFirstOfSite(deps, { id }, { without_backup })) !== null
    if (!without_backup && !isFirst) await refuseWithoutBackup(deps, { id, domain })
    return { ...pushed, domain, from }
  },
  retry_also: retriedStaging,
  backup_first: (deps, target, input) => backupFirstOfSite(deps, siteOf(target), input),
  succeeded: replacedBy('site.push'),
  bulk: null,
}

/** Throws 409 for a site that can be backed up, but has no backup of the last hour. */
export async function refuseWithoutBackup(
  deps: Pick<RulesDeps, 'db' | 'clock'>,
  { id, domain }: { id: number; domain: string },
): Promise<void> {
  if ((await obstacleOf(deps.db, id)) !== null || (await hasRecentBackup(deps, id))) return
  const message = `${domain} has no backup of the last hour: back it up first, or push without one`
  throw conflict(message, 'backup_needed')
}
