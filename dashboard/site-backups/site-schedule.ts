import { entryOf } from '#dashboard/activity/entry.ts'
import type { Database } from '#dashboard/db/client.ts'
import type { Clock } from '#dashboard/runtime/clock.ts'
import { getSettings } from '#dashboard/settings/queries.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { BackupSettings } from '#shared/api/backups.ts'
import type { BackupWindow } from '#shared/backup.ts'
import { sinceOf } from './back-up-due.ts'
import { getScheduled, type ScheduledSite } from './coverage.queries.ts'
import { findKit } from './kit.queries.ts'
import { unknownTarget } from './params.ts'
import { findTarget } from './queries.ts'
import { nextBackup } from './schedule.ts'
import { storeBackupSettings } from './settings.queries.ts'

interface Deps {
  db: Database
  clock: Clock
}

/** When and where a site is backed up by itself. */
export async function showSchedule({ db, clock }: Deps, site_id: number): Promise<BackupSettings> {
  const { backup_every: every, backup_window: window } = await getSettings(db)
  const now = clock.now()
  const kit = await findKit(db, { confirmed: true })
  const site = await getScheduled(db, site_id, { every, now })
  return {
    every: site.own_every ?? 'default',
    target_id: site.own_target,
    next_at: nextAt(site, { window, now, possible_at: kit?.confirmed_at ?? null }),
  }
}

interface Times {
  window: BackupWindow
  now: Date
  /** Since when there is a confirmed kit; null: there is none. */
  possible_at: string | null
}

/** Null while no backup would start. */
export function nextAt(site: ScheduledSite, { window, now, possible_at }: Times): string | null {
  const { id, every, checked, covered, failed_at } = site
  if (every === 'off' || !checked || !covered || possible_at === null) return null
  const since = sinceOf(site, possible_at)
  return nextBackup({ id, every, window, since, failed_at }, now).toISOString()
}

/** Takes effect at once. 422 for an unknown target. */
export async function changeSchedule(
  deps: Deps,
  { server, site, actor }: SiteTarget,
  { every, target_id }: Pick<BackupSettings, 'every' | 'target_id'>,
): Promise<BackupSettings> {
  if (target_id !== null && !(await findTarget(deps.db, target_id))) throw unknownTarget()
  const own = { every: every === 'default' ? null : every, target_id }
  const values = { domain: site.domain, server_id: server.id, user_id: actor }
  const entry = entryOf(deps.clock, { type: 'backup.settings', ...values })
  await storeBackupSettings(deps.db, site.id, own, entry)
  return showSchedule(deps, site.id)
}
