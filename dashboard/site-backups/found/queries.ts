import { and, count, eq, isNull, sql } from 'drizzle-orm'
import { backup_repositories, backups } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { activities } from '#dashboard/db/schema.ts'
import { presentStatements } from '#dashboard/site-backups/gone.queries.ts'
import type { ListedBackups } from '#shared/backup-find.ts'

/** How many backups of each repository in a target are on record. */
export async function countKnown(db: Database, target_id: number): Promise<Map<string, number>> {
  const rows = await db.read
    .select({ name: backups.repository, known: count() })
    .from(backups)
    .where(and(eq(backups.target_id, target_id), isNull(backups.gone_at)))
    .groupBy(backups.repository)
  return new Map(rows.map(({ name, known }) => [name, known]))
}

interface Adopted {
  repository: typeof backup_repositories.$inferInsert
  listed: ListedBackups
  now: string
  entry: NewActivity
}

/**
 * Records a repository and its backups: for the site whose system user has its name, if there is
 * one. Returns how many backups were not on record.
 */
export async function adopt(db: Database, adopted: Adopted): Promise<number> {
  const { repository, listed, now, entry } = adopted
  const { target_id, name } = repository
  const present = listed.backups.map(({ id }) => id)
  const [before, , , after] = await db.write((queries) => {
    const known = () =>
      queries
        .select({ known: count() })
        .from(backups)
        .where(and(eq(backups.target_id, target_id), eq(backups.repository, name)))
    return queries.batch([
      known(),
      queries
        .insert(backup_repositories)
        .values(repository)
        .onConflictDoUpdate({
          target: [backup_repositories.target_id, backup_repositories.name],
          set: repository,
        }),
      queries.run(insertMissing(adopted)),
      known(),
      queries.insert(activities).values(entry),
      ...presentStatements(queries, { target_id, repository: name, present, now }),
    ])
  })
  return (after[0]?.known ?? 0) - (before[0]?.known ?? 0)
}

/** Oldest first, so that the newest backup has the highest id. */
function insertMissing({ repository: { target_id, name }, listed, now }: Adopted) {
  const { domain, tables, excluded } = listed
  const list = JSON.stringify(listed.backups.toReversed())
  const site = sql`(select id from sites where user = ${name} and domain = ${domain} and not found)`
  const server = sql`(select server_id from sites where user = ${name} and domain = ${domain}
    and not found)`
  return sql`insert into backups (site_id, server_id, domain, target_id, repository, snapshot, at,
      recorded_at, files, bytes, stored, tables, seconds, excluded)
    select ${site}, ${server}, ${domain}, ${target_id}, ${name}, value ->> 'id', value ->> 'at',
      ${now}, value ->> 'files', value ->> 'bytes', value ->> 'stored', ${tables},
      value ->> 'seconds', ${JSON.stringify(excluded)}
    from json_each(${list})
    where not exists (select 1 from backups as known where known.target_id = ${target_id}
      and known.repository = ${name} and known.snapshot = value ->> 'id')
    order by key`
}
