import type { z } from 'zod'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type {
  BackupSettings,
  SetBackupSettings,
  SettingSource,
} from '#shared/backups/api/backup-settings.ts'
import type { BackupWindow } from '#shared/backups/backup-schedule.ts'
import { getScheduled, type ScheduledSite } from './coverage.queries.ts'
import { readBackupFirst } from './effective.queries.ts'
import { findKit } from './kit.queries.ts'
import { unknownTarget } from './params.ts'
import { findTarget } from './queries.ts'
import { nextBackup } from './schedule.ts'
import { storeBackupSettings } from './settings.queries.ts'
import { sinceOf } from './start-due-backups.ts'

interface Deps {
  db: Database
  clock: Clock
}

export async function showSchedule({ db, clock }: Deps, site_id: number): Promise<BackupSettings> {
  const settings = await getSettings(db)
  const { backup_every: every, proof_every, backup_window: window } = settings
  const now = clock.now()
  const kit = await findKit(db, { confirmed: true })
  const first = await readBackupFirst(db, site_id, settings.backup_first)
  const site = await getScheduled(db, site_id, { every, proof_every, now })
  return {
    every: site.own_every ?? 'default',
    target_id: site.own_target,
    backup_first: first.own,
    exclude: site.exclude ?? [],
    in_effect: {
      every: site.every,
      every_from: sourceOf(site.own_every, site.every_tag),
      target_id: site.used_target,
      target_from: sourceOf(site.own_target, site.target_tag),
      backup_first: first.used,
      backup_first_from: sourceOf(first.own, first.tag),
    },
    next_at: nextBackupTime(site, { window, now, possible_at: kit?.confirmed_at ?? null }),
  }
}

const sourceOf = (own: unknown, tag: string | null): SettingSource =>
  own === null ? { kind: tag === null ? 'fleet' : 'tag', tag } : { kind: 'site', tag: null }

interface ScheduleTimes {
  window: BackupWindow
  now: Date
  /** The time since when there is a confirmed kit; null when there is none. */
  possible_at: string | null
}

/** Returns the time of the next automatic backup of a site; null while no backup would start. */
export function nextBackupTime(
  site: ScheduledSite,
  { window, now, possible_at }: ScheduleTimes,
): string | null {
  const { id, every, checked, covered, failed_at } = site
  if (every === 'off' || !checked || !covered || possible_at === null) return null
  const since = sinceOf(site, possible_at)
  return nextBackup({ id, every, window, since, failed_at }, now).toISOString()
}

/** Changes the schedule, which takes effect at once. Throws 422 for an unknown target. */
export async function changeSchedule(
  deps: Deps,
  { server, site, actor }: SiteTarget,
  { every, target_id, backup_first, exclude }: z.output<typeof SetBackupSettings>,
): Promise<BackupSettings> {
  if (target_id !== null && !(await findTarget(deps.db, target_id))) throw unknownTarget()
  const own = {
    every: every === 'default' ? null : every,
    target_id,
    ...(backup_first !== undefined && { backup_first }),
    ...(exclude && { exclude }),
  }
  const values = { domain: site.domain, server_id: server.id, user_id: actor }
  const entry = entryOf(deps.clock, { type: 'backup.settings', ...values })
  await storeBackupSettings(deps.db, site.id, own, entry)
  return showSchedule(deps, site.id)
}
