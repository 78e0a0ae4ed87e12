import { and, eq, or, sql } from 'drizzle-orm'
import { backup_repositories, backup_targets, backups } from '#dashboard/db/backup-schema.ts'
import { type Database, writeAll } from '#dashboard/db/client.ts'
import type { NewActivity, SiteRow } from '#dashboard/db/rows.ts'
import { activities } from '#dashboard/db/schema.ts'
import { type ListedBackups, MOST_LISTED } from '#shared/backup-find.ts'
import { type Present, presentStatements } from './gone.queries.ts'

const MOST_GONE = 100

/** The repositories that may have backups of a site, with what is known of them. */
export async function listRepositories(db: Database, { id, user }: Pick<SiteRow, 'id' | 'user'>) {
  const { target_id, name } = backup_repositories
  const ofSite = sql`exists (select 1 from backups where backups.site_id = ${id}
    and backups.target_id = ${target_id} and backups.repository = ${name})`
  return db.read
    .select({ target_id, name, target: backup_targets.name })
    .from(backup_repositories)
    .innerJoin(backup_targets, eq(backup_targets.id, target_id))
    .where(or(eq(name, user), ofSite))
    .orderBy(target_id)
}

/** Those that are not in their targets any more, newest first. */
export function listGoneOf(db: Database, site_id: number) {
  const { id, at, gone_at } = backups
  return db.read
    .select({ id, at, target: backup_targets.name, gone_at: sql<string>`${gone_at}` })
    .from(backups)
    .innerJoin(backup_targets, eq(backup_targets.id, backups.target_id))
    .where(and(eq(backups.site_id, site_id), sql`${gone_at} is not null`))
    .orderBy(sql`${at} desc, ${id} desc`)
    .limit(MOST_GONE)
}

interface Refreshed {
  list: Present
  listed: ListedBackups
  /** The site, and its server. */
  site: Pick<SiteRow, 'id' | 'server_id' | 'domain'>
}

/** Returns how many are gone, and how many were not on record. */
export async function storeList(
  db: Database,
  { list, listed, site }: Refreshed,
  entry: NewActivity,
): Promise<{ gone: number; found: number }> {
  const before = await countOf(db, list)
  // A list that is cut says nothing about earlier backups.
  const isWhole = listed.backups.length < MOST_LISTED
  await writeAll(db, (queries) => [
    ...(isWhole ? presentStatements(queries, list) : []),
    queries.run(insertMissing({ list, listed, site })),
    queries.insert(activities).values(entry),
  ])
  const after = await countOf(db, list)
  return { gone: Math.max(0, after.gone - before.gone), found: after.all - before.all }
}

async function countOf(db: Database, { target_id, repository }: Present) {
  const [row] = await db.read
    .select({ all: sql<number>`count(*)`, gone: sql<number>`count(${backups.gone_at})` })
    .from(backups)
    .where(and(eq(backups.target_id, target_id), eq(backups.repository, repository)))
  return row ?? { all: 0, gone: 0 }
}

/** No clock of a server makes a backup newer than now. */
function insertMissing({ list, listed, site }: Refreshed) {
  const { target_id, repository, now } = list
  const rows = JSON.stringify(listed.backups.toReversed())
  return sql`insert into backups (site_id, server_id, domain, target_id, repository, snapshot, at,
      recorded_at, files, bytes, stored, tables, seconds, excluded)
    select ${site.id}, ${site.server_id}, ${site.domain}, ${target_id}, ${repository},
      value ->> 'id', value ->> 'at', min(value ->> 'at', ${now}), value ->> 'files',
      value ->> 'bytes', value ->> 'stored', ${listed.tables}, value ->> 'seconds',
      ${JSON.stringify(listed.excluded)}
    from json_each(${rows})
    where not exists (select 1 from backups as known where known.target_id = ${target_id}
      and known.repository = ${repository} and known.snapshot = value ->> 'id')
    order by key`
}
