import { eq, type SQL, sql } from 'drizzle-orm'
import { backup_settings } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { BackupInterval } from '#shared/backups/backup-schedule.ts'

/*
 * The value that is used for a site, in a statement with the site and its row of backup_settings: its own value,
 * else that of the first tag of its server, by name, whose rule has one, else that of the fleet.
 */

type SettingColumn = 'every' | 'target_id' | 'backup_first' | 'per_server'

const ofRule = (selected: SettingColumn | 'tag', column: SettingColumn) =>
  sql`(select ${sql.raw(`backup_rules.${selected}`)} from backup_rules
    where ${sql.raw(`backup_rules.${column}`)} is not null and backup_rules.tag in
      (select json_each.value from servers, json_each(servers.tags) where servers.id = sites.server_id)
    order by backup_rules.tag limit 1)`

export const everyOf = (fallback: BackupInterval) =>
  sql<BackupInterval>`coalesce(backup_settings.every, ${ofRule('every', 'every')}, ${fallback})`

export const perServerOf = (fallback: number) =>
  sql<number>`coalesce(${ofRule('per_server', 'per_server')}, ${fallback})`

/** The id of the backup target of a site; null when there is no target. */
export const targetOf: SQL<number | null> = sql`coalesce(backup_settings.target_id,
  ${ofRule('target_id', 'target_id')}, (select id from backup_targets where is_default = 1))`

/** Whether operations that change a site wait for a backup; a staging site must say so itself. */
export const backupFirstOf = (fallback: boolean) =>
  sql<boolean>`coalesce(backup_settings.backup_first, case when ${sites.staging} then 0
    else coalesce(${ofRule('backup_first', 'backup_first')}, ${fallback ? 1 : 0}) end)`.mapWith(
    Boolean,
  )

/** The tag whose rule is used; null: the site has a value of its own, or no tag has one. */
export const everyTag: SQL<string | null> = sql`case when backup_settings.every is null
  then ${ofRule('tag', 'every')} end`
export const targetTag: SQL<string | null> = sql`case when backup_settings.target_id is null
  then ${ofRule('tag', 'target_id')} end`
const backupFirstTag = sql<string | null>`case when backup_settings.backup_first is null
  and not ${sites.staging} then ${ofRule('tag', 'backup_first')} end`

export async function effectiveSettings(
  db: Database,
  site_id: number,
): Promise<{ target_id: number | null; exclude: string[] }> {
  const [row] = await db.read
    .select({ target_id: targetOf, exclude: backup_settings.exclude })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(eq(sites.id, site_id))
  return { target_id: row?.target_id ?? null, exclude: row?.exclude ?? [] }
}

/** Returns the value of the site itself, the one that is used, and the tag that it comes from. */
export async function readBackupFirst(db: Database, site_id: number, fallback: boolean) {
  const [row] = await db.read
    .select({
      own: backup_settings.backup_first,
      used: backupFirstOf(fallback),
      tag: backupFirstTag,
    })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(eq(sites.id, site_id))
  if (!row) throw new Error(`no site ${site_id}`)
  return row
}
