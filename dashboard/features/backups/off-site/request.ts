import { findKit } from '#dashboard/features/backups/kit.queries.ts'
import { findOwnTarget, type OwnTarget } from '#dashboard/features/backups/own/queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { DashboardBackup } from '#shared/recovery/api/dashboard-backup.ts'
import { keyStateOf } from './release-key.ts'
import {
  findOffSite,
  findRequest,
  findSealed,
  insertRequest,
  insertRequests,
  LOCAL_REQUEST,
  REQUEST,
} from './state.queries.ts'

export interface RequestDeps {
  db: Database
  clock: Clock
  off_site: boolean
}

export async function showOffSite({ db, off_site }: RequestDeps): Promise<DashboardBackup> {
  const target = await findOwnTarget(db)
  const state = await findOffSite(db)
  return {
    target: target ? viewOf(target) : null,
    obstacle: off_site ? await obstacleOf(db, target) : 'BACKUPS_OFF_SITE=off turns them off',
    requested_at: (off_site && (await findRequest(db))?.at) || null,
    tried_at: state?.tried_at ?? null,
    saved_at: state?.saved_at ?? null,
    error: state?.error ?? null,
    error_code:
      typeof state?.error === 'string' ? (state.not_ready ? 'not_ready' : 'failed') : null,
    release_key: keyStateOf(await findKit(db, { confirmed: true }), await findSealed(db), state),
  }
}

/**
 * Requests a backup, which starts within seconds at the dashboard that has this task. With
 * `only_check` the target is opened, and nothing is saved. Throws 409 with what is missing.
 */
export async function requestOffSite(
  deps: RequestDeps,
  user_id: number,
  { only_check }: { only_check: boolean },
): Promise<DashboardBackup> {
  const { obstacle } = await showOffSite(deps)
  if (obstacle !== null) throw conflict(refusalOf(obstacle))
  const type = only_check ? 'backup.dashboard_check' : 'backup.dashboard'
  const entry = entryOf(deps.clock, { type, user_id })
  await insertRequest(deps.db, { at: timestamp(deps.clock), only_check }, entry)
  return showOffSite(deps)
}

/**
 * Requests a backup in the target, if there is one, and one beside the records, after a change without
 * which a backup is worth less.
 */
export async function requestBackups({ db, clock, off_site }: RequestDeps): Promise<void> {
  const isPossible = off_site && (await obstacleOf(db, await findOwnTarget(db))) === null
  const keys = isPossible ? ([LOCAL_REQUEST, REQUEST] as const) : ([LOCAL_REQUEST] as const)
  await insertRequests(db, keys, { at: timestamp(clock), only_check: false })
}

export const refusalOf = (obstacle: string) => `The records cannot be backed up: ${obstacle}`

/** Returns what is missing before the records can be saved in a target; null for nothing. */
export async function obstacleOf(
  db: Database,
  target: OwnTarget | undefined,
): Promise<string | null> {
  if (!(await findKit(db, { confirmed: true }))) return 'confirm a recovery kit first'
  return target ? null : 'add a target for the dashboard first, which no server can read'
}

const viewOf = ({ place, keeper_key, checked_at }: OwnTarget) => ({ place, keeper_key, checked_at })
