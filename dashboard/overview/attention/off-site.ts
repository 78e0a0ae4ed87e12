import type { Database } from '#dashboard/db/client.ts'
import { findOffSite } from '#dashboard/off-site/state.queries.ts'
import { findDefaultTarget } from '#dashboard/site-backups/queries.ts'
import type { Attention } from '#shared/api/attention.ts'
import { advised, groupOf, item } from './item.ts'

const LATE_MS = 2 * 24 * 3600_000

/** The dashboard's own backups in the target, after the first attempt. */
export async function offSiteTrouble(db: Database, now: Date): Promise<Attention[]> {
  const state = await findOffSite(db)
  if (!state) return []
  const { error, saved_at, not_ready } = state
  const late = new Date(now.getTime() - LATE_MS).toISOString()
  if (saved_at !== null ? saved_at > late : error === null) return []
  // Whoever removed the targets wants no such backups.
  if ((error === null || not_ready) && !(await findDefaultTarget(db))) return []
  const last =
    saved_at === null ? 'have never been saved' : `were last saved on ${saved_at.slice(0, 10)}`
  const reason = advised(
    `The records of this dashboard ${last} in the backup target${error === null ? '' : `: ${error}`}`,
    error === null
      ? 'check the default target on the page Backups'
      : 'correct the cause, and choose "Back up now" on the page Backups; it is also retried every hour',
  )
  const name = 'Backup of the dashboard'
  return groupOf('dashboard_backup', [item({ severity: 'warning', name, reason, at: saved_at })])
}
