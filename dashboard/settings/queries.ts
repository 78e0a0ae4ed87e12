import { activityStatement } from '#dashboard/activity/queries.ts'
import { batch, type Database } from '#dashboard/db/client.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { settings } from '#dashboard/db/schema.ts'
import { DEFAULT_SETTINGS, type SettingKey, Settings } from '#shared/api/settings.ts'

/** What was changed, over the defaults. */
export async function getSettings(db: Database): Promise<Settings> {
  const rows = await db.read.select().from(settings)
  const changed = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  return Settings.strip().parse({ ...DEFAULT_SETTINGS, ...changed })
}

export async function updateSetting(
  db: Database,
  key: SettingKey,
  value: unknown,
  entry: NewActivity,
): Promise<void> {
  await db.write((queries) =>
    batch(queries, [
      queries
        .insert(settings)
        .values({ key, value })
        .onConflictDoUpdate({ target: settings.key, set: { value } }),
      activityStatement(queries, entry),
    ]),
  )
}
