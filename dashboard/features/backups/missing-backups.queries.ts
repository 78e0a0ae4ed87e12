import { and, asc, desc, eq, gt, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'

/** The content of a repository, as an agent listed it after a backup. */
export interface PresentBackups {
  target_id: number
  repository: string
  present: readonly string[]
  now: string
  /** The time of the request for the list, now by default: later backups may not be in it. */
  asked_at?: string
}

/**
 * Marks the backups that are not in the repository any more. The mark of a backup that is in it is
 * removed: a server may have returned a wrong list, and no list deletes a record.
 */
export function presentStatements(
  queries: Queries,
  { target_id, repository, present, now, asked_at }: PresentBackups,
): Statement[] {
  const own = and(eq(backups.target_id, target_id), eq(backups.repository, repository))
  const isListed = asked_at === undefined ? undefined : lte(backups.recorded_at, asked_at)
  const isPresent = sql`${backups.snapshot} in (select value from json_each(${JSON.stringify(present)}))`
  return [
    queries
      .update(backups)
      .set({ gone_at: now })
      .where(and(own, isListed, isNull(backups.gone_at), sql`not ${isPresent}`)),
    queries
      .update(backups)
      .set({ gone_at: null })
      .where(and(own, isNotNull(backups.gone_at), isPresent)),
  ]
}

/**
 * Lists the sites whose previous backup was gone when the next one was made, newest first. No
 * keeper forgets the last backup of a site: somebody else deleted it, or the server does not list
 * it.
 */
export function listMissing(
  db: Database,
  { since, limit, visible }: { since: string; limit: number; visible?: Visible | undefined },
) {
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      target: backup_targets.name,
      at: backups.at,
      gone_at: backups.gone_at,
      total: sql<number>`count(*) over ()`,
    })
    .from(backups)
    .innerJoin(sites, eq(sites.id, backups.site_id))
    .innerJoin(backup_targets, eq(backup_targets.id, backups.target_id))
    .where(
      and(
        gt(backups.gone_at, since),
        isVisibleSite(visible),
        sql`not exists (select 1 from backups as later where later.site_id = ${backups.site_id}
          and later.target_id = ${backups.target_id}
          and (later.recorded_at, later.id) > (${backups.recorded_at}, ${backups.id})
          and later.recorded_at < ${backups.gone_at})`,
      ),
    )
    .orderBy(desc(backups.gone_at), asc(sites.id))
    .limit(limit)
}
