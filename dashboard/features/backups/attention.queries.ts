import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { backup_settings } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { operations, sites } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { type CoverageMoment, conditionsAt, isCovered } from './coverage.queries.ts'

/** Lists the sites whose last backup failed, newest first; without an interval, since `since`. */
export function listFailed(
  db: Database,
  {
    since,
    limit,
    visible,
    ...moment
  }: CoverageMoment & { since: string; limit: number; visible?: Visible | undefined },
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
        isVisibleSite(visible),
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
