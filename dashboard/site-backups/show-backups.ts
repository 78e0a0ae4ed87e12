import type { Database } from '#dashboard/db/client.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import type { SiteBackups } from '#shared/api/backups.ts'
import { findKit } from './kit.queries.ts'
import { findDefaultTarget, findRestore, listBackups } from './queries.ts'

interface Deps {
  db: Database
  clock: Clock
}

export async function showBackups({ db, clock }: Deps, site_id: number): Promise<SiteBackups> {
  const restore = await findRestore(db, site_id)
  return {
    backups: await listBackups(db, site_id),
    obstacle: await obstacleOf(db),
    undo: restore && restore.until > timestamp(clock) ? restore : null,
  }
}

async function obstacleOf(db: Database): Promise<SiteBackups['obstacle']> {
  if (!(await findKit(db, { confirmed: true }))) return 'no_kit'
  const target = await findDefaultTarget(db)
  if (!target) return 'no_target'
  return target.checked_at === null ? 'target_unchecked' : null
}
