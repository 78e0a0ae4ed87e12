import { eq } from 'drizzle-orm'
import { backup_settings } from '#dashboard/db/backup-schema.ts'
import { type Database, writeAll } from '#dashboard/db/client.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { activities } from '#dashboard/db/schema.ts'

type Own = Pick<typeof backup_settings.$inferSelect, 'every' | 'target_id'>

/** What a site has of its own; null: as for all. */
export async function getBackupSettings(db: Database, site_id: number): Promise<Own> {
  const { every, target_id, site_id: key } = backup_settings
  const [row] = await db.read
    .select({ every, target_id })
    .from(backup_settings)
    .where(eq(key, site_id))
  return row ?? { every: null, target_id: null }
}

export async function storeBackupSettings(
  db: Database,
  site_id: number,
  own: Own,
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
