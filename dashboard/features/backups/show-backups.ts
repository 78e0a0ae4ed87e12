import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { SiteBackups } from '#shared/backups/api/backups.ts'
import { effectiveSettings } from './effective.queries.ts'
import { findKit } from './kit.queries.ts'
import { findProvable } from './proof-due.queries.ts'
import { nextProof } from './proof-schedule.ts'
import { findDefaultTarget, findTarget, listBackups } from './queries.ts'
import { listGoneOf } from './refresh.queries.ts'
import { findRestoreRequest } from './restore-requests.queries.ts'
import { findRestore } from './restores.queries.ts'
import { showSchedule } from './site-schedule.ts'

interface Deps {
  db: Database
  clock: Clock
}

export async function showBackups({ db, clock }: Deps, site_id: number): Promise<SiteBackups> {
  const restore = await findRestore(db, site_id)
  return {
    backups: await listBackups(db, site_id),
    gone: await listGoneOf(db, site_id),
    obstacle: await obstacleOf(db, site_id),
    undo: restore && restore.until > timestamp(clock) ? restore : null,
    requested: (await findRestoreRequest(db, site_id)) ?? null,
    ...(await showSchedule({ db, clock }, site_id)),
    next_proof_at: await nextProofAt({ db, clock }, site_id),
  }
}

/** Returns the time of the next automatic proof of a site; null when there will be none. */
async function nextProofAt({ db, clock }: Deps, site_id: number): Promise<string | null> {
  const { proof_every: every, backup_every, backup_window: window } = await getSettings(db)
  const site = await findProvable(db, site_id, { every: backup_every })
  if (every === 'off' || !site) return null
  return nextProof({ ...site, every, window }, clock.now()).toISOString()
}

/**
 * Returns why a site cannot be backed up, or without `site_id`, the sites without a target of their
 * own; null when nothing prevents it.
 */
export async function obstacleOf(db: Database, site_id?: number): Promise<SiteBackups['obstacle']> {
  if (!(await findKit(db, { confirmed: true }))) return 'no_kit'
  const used = site_id === undefined ? null : (await effectiveSettings(db, site_id)).target_id
  const target = await (used === null ? findDefaultTarget(db) : findTarget(db, used))
  if (!target) return 'no_target'
  return target.checked_at === null ? 'target_unchecked' : null
}
