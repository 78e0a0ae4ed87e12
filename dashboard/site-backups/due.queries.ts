import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { backup_settings } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import { operations, servers, sites } from '#dashboard/db/schema.ts'
import type { BackupInterval } from '#shared/backup.ts'
import { isCovered } from './coverage.queries.ts'

/** The servers that can answer on which a backup waits or runs, once for each of these. */
export async function listBackingUp(db: Database): Promise<number[]> {
  const rows = await db.read
    .select({ server_id: operations.server_id })
    .from(operations)
    .innerJoin(servers, eq(servers.id, operations.server_id))
    .where(
      and(
        inArray(operations.status, ['queued', 'running']),
        eq(operations.type, 'backup.create'),
        eq(servers.status, 'online'),
      ),
    )
  return rows.map(({ server_id }) => server_id)
}

/**
 * Sites on servers that can answer, with a checked target, without another operation, and without an
 * attempt that ended after `attempted`; those without a backup first, then the oldest backup first.
 */
export function listWaiting(
  db: Database,
  { every, attempted }: { every: BackupInterval; attempted: string },
) {
  const interval = sql<BackupInterval>`coalesce(${backup_settings.every}, ${every})`
  const recorded_at = sql<string | null>`(select recorded_at from backups
    where backups.site_id = sites.id order by id desc limit 1)`
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      created_at: sites.created_at,
      every: interval,
      recorded_at,
    })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(
      and(
        isCovered,
        sql`${interval} <> 'off'`,
        sql`${sites.server_id} in (select id from servers where status = 'online')`,
        sql`coalesce(${backup_settings.target_id}, (select id from backup_targets where is_default = 1))
          in (select id from backup_targets where checked_at is not null)`,
        sql`${sites.id} not in (select site_id from operations
          where status in ('queued', 'running') and site_id is not null)`,
        sql`${sites.id} not in (select site_id from operations
          where status in ('failed', 'cancelled') and finished_at > ${attempted}
            and type = 'backup.create' and site_id is not null)`,
      ),
    )
    .orderBy(asc(recorded_at), asc(sites.id))
}
