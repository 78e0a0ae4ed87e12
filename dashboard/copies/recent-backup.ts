import { isRecent } from '#dashboard/backup-first/needed.ts'
import type { RulesDeps } from '#dashboard/operations/rules.ts'
import { obstacleOf } from '#dashboard/site-backups/show-backups.ts'
import { conflict } from '#shared/errors.ts'

/** Throws 409 for a site that can be backed up, but has no backup of the last hour. */
export async function refuseWithoutBackup(
  deps: Pick<RulesDeps, 'db' | 'clock'>,
  { id, domain }: { id: number; domain: string },
): Promise<void> {
  if ((await obstacleOf(deps.db, id)) !== null || (await isRecent(deps, id))) return
  const message = `${domain} has no backup of the last hour: back it up first, or push without one`
  throw conflict(message, 'backup_needed')
}
