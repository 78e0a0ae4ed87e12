import { findRestored, forgetRestored } from '#dashboard/features/recovery/backup/restored-mark.ts'
import { setRestored } from '#dashboard/features/recovery/queries.ts'
import { noteRestored } from '#dashboard/features/recovery/witnesses.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import { pauseBulks } from '#dashboard/kernel/bulk/pause-bulks.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { replaceKeys } from '#dashboard/kernel/trust/keys/rotate.ts'
import type { Deps } from './deps.ts'

/**
 * Prepares the first start with restored records, which know nothing of the time since the backup.
 * The key is rotated, because the lost dashboard may have had a newer one and must not command the
 * servers any more. Bulk operations are paused, because nobody knows which of them were cancelled.
 */
export async function afterRestore(deps: Deps, data_dir: string): Promise<void> {
  const { db, clock, log, record } = deps
  const made_at = await findRestored(data_dir)
  if (made_at === undefined) return
  const of = made_at.slice(0, 10)
  const reason = `The records were restored from a backup of ${of}: look at what was done since, then resume or cancel it`
  const paused = await pauseBulks(db, reason)
  const entry = { type: 'records.restore', detail: `backup of ${made_at}` }
  await recordActivity(db, entryOf(clock, entry))
  await record.forget()
  await replaceKeys(deps, null)
  const restored_at = timestamp(clock)
  await noteRestored(data_dir, restored_at)
  await setRestored(db, { made_at, restored_at })
  await forgetRestored(data_dir)
  log.info('the records were restored: the key was rotated', { made_at, paused })
}
