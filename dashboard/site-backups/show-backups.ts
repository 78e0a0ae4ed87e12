import type { Database } from '#dashboard/db/client.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import type { SiteBackups } from '#shared/api/backups.ts'
import { findKit } from './kit.queries.ts'
import { findDefaultTarget, findRestore, findTarget, listBackups } from './queries.ts'
import { getBackupSettings } from './settings.queries.ts'
import { showSchedule } from './site-schedule.ts'

interface Deps {
  db: Database
  clock: Clock
}

export async function showBackups({ db, clock }: Deps, site_id: number): Promise<SiteBackups> {
  const restore = await findRestore(db, site_id)
  return {
    backups: await listBackups(db, site_id),
    obstacle: await obstacleOf(db, site_id),
    undo: restore && restore.until > timestamp(clock) ? restore : null,
    ...(await showSchedule({ db, clock }, site_id)),
  }
}

/** Of a site, or of those without a target of their own. */
export async function obstacleOf(db: Database, site_id?: number): Promise<SiteBackups['obstacle']> {
  if (!(await findKit(db, { confirmed: true }))) return 'no_kit'
  const own = site_id === undefined ? null : (await getBackupSettings(db, site_id)).target_id
  const target = await (own === null ? findDefaultTarget(db) : findTarget(db, own))
  if (!target) return 'no_target'
  return target.checked_at === null ? 'target_unchecked' : null
}
