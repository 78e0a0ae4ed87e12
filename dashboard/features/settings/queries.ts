import { sql } from 'drizzle-orm'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, servers, settings } from '#dashboard/kernel/db/schema.ts'
import { DEFAULT_SETTINGS, FleetSettings, type SettingKey } from '#shared/settings/api/settings.ts'

/** The schema of stored settings, made once: zod compiles each when it is first used. */
const StoredSettings = FleetSettings.strip()

/** Returns the settings: the changed ones over the defaults. */
export async function getSettings(db: Database): Promise<FleetSettings> {
  const rows = await db.read.select().from(settings)
  const changed = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  return StoredSettings.parse({ ...DEFAULT_SETTINGS, ...changed })
}

export async function hasPhp(db: Database, php: string): Promise<boolean> {
  const row = await db.read
    .select({ id: servers.id })
    .from(servers)
    .where(sql`exists (select 1 from json_each(${servers.php_versions}) where value = ${php})`)
    .get()
  return row !== undefined
}

export async function updateSetting(
  db: Database,
  key: SettingKey,
  value: unknown,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries
      .insert(settings)
      .values({ key, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
    queries.insert(activities).values(entry),
  ])
}
