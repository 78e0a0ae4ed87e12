import { isDeepStrictEqual } from 'node:util'
import type { KitRow } from '#dashboard/features/backups/kit.queries.ts'
import { findRecovery, type RecoveryHeader } from '#dashboard/features/backups/recovery-file.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import type { DashboardBackup } from '#shared/recovery/api/dashboard-backup.ts'
import { findSealed, type OffSiteState, type SealedFiles, setSealed } from './state.queries.ts'

const RELEASE_KEY = 'release-key'

/** Records what the installation has sealed, which root may change while the dashboard runs. */
export async function recordSealed(db: Database, data_dir: string): Promise<void> {
  const found = (await findRecovery(data_dir))?.header
  const sealed = found && { kit: found.kit, holds: found.holds }
  if (!isDeepStrictEqual(sealed, await findSealed(db))) await setSealed(db, sealed)
}

/** Returns what the state records of a backup that holds these files. */
export function savedKey(
  header: RecoveryHeader | undefined,
  before: OffSiteState | undefined,
  now: string,
): OffSiteState['release_key'] {
  const kit = header?.holds.includes(RELEASE_KEY) ? header.kit : null
  if (kit === null) return null
  return before?.release_key?.kit === kit ? before.release_key : { kit, since: now }
}

/** Whether the last backup lacks a release key that the next one has. */
export const lacksKey = (sealed: SealedFiles | undefined, state: OffSiteState | undefined) =>
  sealed !== undefined &&
  sealed.kit !== null &&
  sealed.holds.includes(RELEASE_KEY) &&
  sealed.kit !== state?.release_key?.kit

/** Returns whether the backups give a lost release key back, with the kit in use. */
export function keyStateOf(
  kit: Pick<KitRow, 'recovery_key'> | undefined,
  sealed: SealedFiles | undefined,
  state: Pick<OffSiteState, 'release_key'> | undefined,
): DashboardBackup['release_key'] {
  if (sealed === undefined) return null
  const own = kit && fingerprintOf(kit.recovery_key)
  if (own === undefined || sealed.kit !== own) return { state: 'not_saved', since: null }
  if (!sealed.holds.includes(RELEASE_KEY)) return { state: 'not_here', since: null }
  const saved = state?.release_key
  if (saved?.kit !== own) return { state: 'next', since: null }
  return { state: 'saved', since: saved.since }
}
