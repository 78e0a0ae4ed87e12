import { backup_settings } from '#dashboard/kernel/db/backup-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'

type OwnSettings = Omit<typeof backup_settings.$inferInsert, 'site_id'>

/** Stores the values of the site itself; null is as for all sites, a missing value stays. */
export async function storeBackupSettings(
  db: Database,
  site_id: number,
  own: OwnSettings,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries
      .insert(backup_settings)
      .values({ site_id, ...own })
      .onConflictDoUpdate({ target: backup_settings.site_id, set: own }),
    queries.insert(activities).values(entry),
  ])
}
