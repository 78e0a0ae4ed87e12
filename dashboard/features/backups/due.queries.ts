import { and, asc, eq, sql } from 'drizzle-orm'
import { backup_settings } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { BackupInterval } from '#shared/backups/backup-schedule.ts'
import { isNotTried, isReachable } from './attempts.queries.ts'
import { isCovered } from './coverage.queries.ts'
import { everyOf, perServerOf, targetOf } from './effective.queries.ts'

/**
 * Lists the sites that wait for a backup: on servers that can answer, with a checked target,
 * without another operation, and without an attempt that has just failed. Those without a backup
 * come first, then the oldest backup first.
 */
export function listWaiting(
  db: Database,
  { every, per_server, now }: { every: BackupInterval; per_server: number; now: Date },
) {
  const interval = everyOf(every)
  const recorded_at = sql<string | null>`(select recorded_at from backups
    where backups.site_id = sites.id and gone_at is null
    order by recorded_at desc, id desc limit 1)`
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      created_at: sites.created_at,
      every: interval,
      per_server: perServerOf(per_server),
      recorded_at,
    })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(
      and(
        isCovered,
        sql`${interval} <> 'off'`,
        isReachable,
        sql`${targetOf}
          in (select id from backup_targets where checked_at is not null)`,
        sql`${sites.id} not in (select site_id from operations
          where status in ('queued', 'running') and type <> 'backup.prove' and site_id is not null)`,
        isNotTried('backup.create', now),
      ),
    )
    .orderBy(asc(recorded_at), asc(sites.id))
}
