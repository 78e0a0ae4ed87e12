import { and, eq, isNotNull, or, sql } from 'drizzle-orm'
import { backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { backup_repositories } from '#dashboard/kernel/db/repositories-schema.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'

const MAX_GONE = 100

/** Lists the repositories that may have backups of a site, with what is known of them. */
export async function listRepositories(db: Database, { id }: Pick<SiteRow, 'id'>) {
  const { target_id, name, sealed_password } = backup_repositories
  const ofSite = sql`exists (select 1 from backups where backups.site_id = ${id}
    and backups.target_id = ${target_id} and backups.repository = ${name})`
  return db.read
    .select({ target_id, name, target: backup_targets.name })
    .from(backup_repositories)
    .innerJoin(backup_targets, eq(backup_targets.id, target_id))
    .where(and(isNotNull(sealed_password), or(eq(backup_repositories.site_id, id), ofSite)))
    .orderBy(target_id, name)
}

/** Lists the repositories that may have backups of deleted sites with this domain. */
export function listRepositoriesOfGone(db: Database, domain: string) {
  const { target_id, name } = backup_repositories
  return db.read
    .select({ target_id, name })
    .from(backup_repositories)
    .where(
      sql`exists (select 1 from backups where backups.site_id is null
        and backups.domain = ${domain} and backups.target_id = ${target_id}
        and backups.repository = ${name})`,
    )
    .orderBy(target_id, name)
}

export function listGoneOf(db: Database, site_id: number) {
  const { id, at, gone_at } = backups
  return db.read
    .select({ id, at, target: backup_targets.name, gone_at: sql<string>`${gone_at}` })
    .from(backups)
    .innerJoin(backup_targets, eq(backup_targets.id, backups.target_id))
    .where(and(eq(backups.site_id, site_id), sql`${gone_at} is not null`))
    .orderBy(sql`${backups.recorded_at} desc, ${id} desc`)
    .limit(MAX_GONE)
}
