import { obstacleOf } from '#dashboard/features/backups/show-backups.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { BackupFirst, RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { MAX_CLOCK_DIFFERENCE_MS } from '#shared/kernel/age.ts'
import { hasBackupIn, isBackupWanted, listUnsaved, type TimePeriod } from './queries.ts'

type Deps = Pick<RulesDeps, 'db' | 'clock'>

const RECENT_MS = 60 * 60_000

/** Returns the period in which a backup is recent for what was started at `time`. */
export function recentPeriod({ clock }: Pick<Deps, 'clock'>, time: Date = clock.now()): TimePeriod {
  const now = clock.now().getTime()
  return {
    from: new Date(Math.min(time.getTime(), now) - RECENT_MS).toISOString(),
    to: new Date(now + MAX_CLOCK_DIFFERENCE_MS).toISOString(),
  }
}

export const hasRecentBackup = (deps: Deps, site_id: number): Promise<boolean> =>
  hasBackupIn(deps.db, site_id, recentPeriod(deps))

/**
 * Returns `waits` when a change of a site waits for a backup, or `done` with one of the last hour;
 * null where none is wanted or possible.
 */
export async function backupFirstOfSite(
  deps: Deps,
  { id }: Pick<SiteRow, 'id'>,
  { without_backup = false }: { without_backup?: boolean | undefined },
): Promise<BackupFirst> {
  if (without_backup) return null
  const { backup_first } = await getSettings(deps.db)
  if (!(await isBackupWanted(deps.db, id, backup_first))) return null
  if ((await obstacleOf(deps.db, id)) !== null) return null
  return (await hasRecentBackup(deps, id)) ? 'done' : 'waits'
}

/** Returns the same for a change of all sites of a server. */
export async function backupFirstOfServer(
  deps: Deps,
  server_id: number,
  { without_backup = false }: { without_backup?: boolean | undefined },
): Promise<BackupFirst> {
  if (without_backup) return null
  const sites = unsavedSites(deps, server_id, recentPeriod(deps))
  const { done } = await sites.next()
  return done ? null : 'waits'
}

export async function* unsavedSites(
  { db }: Pick<Deps, 'db'>,
  server_id: number,
  recent: TimePeriod,
): AsyncGenerator<number, undefined> {
  const { backup_first } = await getSettings(db)
  for (const id of await listUnsaved(db, server_id, backup_first, recent))
    if ((await obstacleOf(db, id)) === null) yield id
}
