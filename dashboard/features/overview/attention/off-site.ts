import { findKit } from '#dashboard/features/backups/kit.queries.ts'
import { keyStateOf } from '#dashboard/features/backups/off-site/release-key.ts'
import { findOffSite, findSealed } from '#dashboard/features/backups/off-site/state.queries.ts'
import { findOwnTarget } from '#dashboard/features/backups/own/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { Attention, AttentionItem } from '#shared/overview/api/attention.ts'
import { advised, groupOf, item } from './item.ts'

const LATE_MS = 2 * 24 * 3600_000

const KEY_NOT_SAVED = advised(
  'The backups of this dashboard do not hold the key that signs agents, or not for the recovery kit in use',
  'run hosting-control save-release-key <fingerprint> as root on its machine, with the fingerprint in the file of your recovery kit',
)

/** The dashboard's own backups: without a target as soon as there is a kit, and late ones. */
export async function offSiteTrouble(db: Database, now: Date): Promise<Attention[]> {
  if (!(await findOwnTarget(db))) {
    if (!(await findKit(db, { confirmed: true }))) return []
    const reason = advised(
      'The records of this dashboard are not backed up to another machine',
      'add a target for them on the page Backups, which no server can read',
    )
    return groupOf('dashboard_backup', [troubled(reason, null)])
  }
  const state = await findOffSite(db)
  const kit = await findKit(db, { confirmed: true })
  const key = keyStateOf(kit, await findSealed(db), state)
  return groupOf('dashboard_backup', [
    ...lateBackup(state, now),
    ...(key?.state === 'not_saved' ? [troubled(KEY_NOT_SAVED, null)] : []),
  ])
}

function lateBackup(state: Awaited<ReturnType<typeof findOffSite>>, now: Date): AttentionItem[] {
  if (!state) return []
  const { error, saved_at } = state
  if (saved_at === null ? error === null : !isDue(saved_at, LATE_MS, now)) return []
  const last =
    saved_at === null ? 'have never been saved' : `were last saved on ${saved_at.slice(0, 10)}`
  const reason = advised(
    `The records of this dashboard ${last} in their target${error === null ? '' : `: ${error}`}`,
    error === null
      ? 'choose "Check target" on the page Backups'
      : 'correct the cause, and choose "Back up now" on the page Backups; it is also retried every hour',
  )
  return [troubled(reason, saved_at)]
}

const troubled = (reason: string, at: string | null) =>
  item({ severity: 'warning', name: 'Backup of the dashboard', reason, at })
