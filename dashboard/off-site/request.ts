import { entryOf } from '#dashboard/activity/entry.ts'
import type { Database } from '#dashboard/db/client.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import { findKit } from '#dashboard/site-backups/kit.queries.ts'
import { findDefaultTarget, type TargetRow } from '#dashboard/site-backups/queries.ts'
import type { DashboardBackup } from '#shared/api/dashboard-backup.ts'
import { conflict } from '#shared/errors.ts'
import { findOffSite, findRequest, insertRequest } from './state.queries.ts'

export interface RequestDeps {
  db: Database
  clock: Clock
  /** Whether the dashboard backs up its own records. */
  off_site: boolean
}

export async function showOffSite({ db, off_site }: RequestDeps): Promise<DashboardBackup> {
  const target = await findDefaultTarget(db)
  const state = await findOffSite(db)
  return {
    target: target?.name ?? null,
    obstacle: off_site ? await obstacleOf(db, target) : 'BACKUPS_OFF_SITE=off turns them off',
    requested_at: (off_site && (await findRequest(db))) || null,
    tried_at: state?.tried_at ?? null,
    saved_at: state?.saved_at ?? null,
    error: state?.error ?? null,
    error_code:
      typeof state?.error === 'string' ? (state.not_ready ? 'not_ready' : 'failed') : null,
  }
}

/** It starts within seconds, at the dashboard that has this task. 409 with what is missing. */
export async function requestOffSite(deps: RequestDeps, user_id: number): Promise<DashboardBackup> {
  const { obstacle } = await showOffSite(deps)
  if (obstacle !== null) throw conflict(refusalOf(obstacle))
  const entry = entryOf(deps.clock, { type: 'backup.dashboard', user_id })
  await insertRequest(deps.db, timestamp(deps.clock), entry)
  return showOffSite(deps)
}

export const refusalOf = (obstacle: string) => `The records cannot be backed up: ${obstacle}`

/** What is missing before the records can be saved in a target; null: nothing. */
export async function obstacleOf(
  db: Database,
  target: TargetRow | undefined,
): Promise<string | null> {
  if (!(await findKit(db, { confirmed: true }))) return 'confirm a recovery kit first'
  if (!target) return 'add a backup target first'
  return target.checked_at === null ? `check the target ${target.name} from a server first` : null
}
