import { isRecent } from '#dashboard/features/backups/backup-first/needed.ts'
import { obstacleOf } from '#dashboard/features/backups/show-backups.ts'
import type { RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Throws 409 for a site that can be backed up, but has no backup of the last hour. */
export async function refuseWithoutBackup(
  deps: Pick<RulesDeps, 'db' | 'clock'>,
  { id, domain }: { id: number; domain: string },
): Promise<void> {
  if ((await obstacleOf(deps.db, id)) !== null || (await isRecent(deps, id))) return
  const message = `${domain} has no backup of the last hour: back it up first, or push without one`
  throw conflict(message, 'backup_needed')
}
