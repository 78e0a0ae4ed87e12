import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { backup_settings } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import { operations, servers, sites } from '#dashboard/db/schema.ts'
import {
  conditionsAt,
  isCovered,
  lastAt,
  type Moment,
  sinceLast,
  weekBefore,
} from './coverage.queries.ts'

/** Whether any site in use is backed up automatically. */
export async function hasScheduled(db: Database, moment: Moment): Promise<boolean> {
  const row = await db.read
    .select({ id: sites.id })
    .from(sites)
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(and(isCovered, sql`${conditionsAt(moment).every} <> 'off'`))
    .limit(1)
    .get()
  return row !== undefined
}

/**
 * One row for each server with sites whose last backup is older than two intervals, or that exist
 * for so long without one: how many, how many of them for more than a week, and the longest
 * without. `ever`: only those that were backed up once.
 */
export function listLate(db: Database, { ever, ...moment }: Moment & { ever: boolean }) {
  const conditions = conditionsAt(moment)
  return db.read
    .select({
      server_id: sites.server_id,
      server: servers.name,
      total: sql<number>`count(*)`,
      over_a_week: sql<number>`sum(${sinceLast} < ${weekBefore(moment.now)})`,
      // SQLite takes the others from the row with the minimum.
      since: sql<string>`min(${sinceLast})`,
      id: sites.id,
      domain: sites.domain,
      last_at: lastAt,
    })
    .from(sites)
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(
      and(
        isCovered,
        sql`${conditions.every} <> 'off'`,
        sql`${sinceLast} < ${conditions.least}`,
        ever ? sql`${lastAt} is not null` : undefined,
      ),
    )
    .groupBy(sites.server_id)
    .orderBy(asc(servers.name), asc(sites.server_id))
}

/** Sites whose last backup failed, newest first; of those without an interval, since `since`. */
export function listFailed(
  db: Database,
  { since, limit, ...moment }: Moment & { since: string; limit: number },
) {
  const interval = conditionsAt(moment).every
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      operation_id: operations.id,
      error: operations.error,
      finished_at: operations.finished_at,
      scheduled: sql<boolean>`${interval} <> 'off'`.mapWith(Boolean),
      total: sql<number>`count(*) over ()`,
    })
    .from(operations)
    .innerJoin(sites, eq(sites.id, operations.site_id))
    .leftJoin(backup_settings, eq(backup_settings.site_id, sites.id))
    .where(
      and(
        isCovered,
        sql`${operations.status} = 'failed' and ${operations.type} = 'backup.create'`,
        sql`(${interval} <> 'off' or ${operations.finished_at} > ${since})`,
        sql`not exists (select 1 from operations as later where later.site_id = ${operations.site_id}
          and later.type = 'backup.create' and later.status <> 'cancelled'
          and later.created_at > ${operations.created_at})`,
      ),
    )
    .orderBy(desc(operations.finished_at), asc(sites.id))
    .limit(limit)
}
