import { and, eq, sql } from 'drizzle-orm'
import { presentStatements } from '#dashboard/features/backups/missing-backups.queries.ts'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import type { CompleteListing } from './list-all-backups.ts'

export interface RepositoryListing {
  target_id: number
  repository: string
  listed: CompleteListing
  now: string
  asked_at: string
  /** The site that has the repository; missing: no site has it. */
  site?: { id: number; server_id: number; domain: string }
}

/** Records the backups in a repository, and marks those that are not in it any more. */
function listingStatements(queries: Queries, listing: RepositoryListing): Statement[] {
  const { target_id, repository, listed, now, asked_at } = listing
  const present = listed.backups.map(({ id }) => id)
  const list = { target_id, repository, present, now, asked_at }
  return [
    // A list that is cut says nothing about earlier backups.
    ...(listed.is_whole ? presentStatements(queries, list) : []),
    queries.run(insertMissing(listing)),
    ...(listing.site ? [queries.run(assignToSite(listing, listing.site))] : []),
  ]
}

/** Assigns backups to a site that was recorded, or got its repository, after they were found. */
function assignToSite(
  { target_id, repository, listed }: RepositoryListing,
  { id, server_id }: NonNullable<RepositoryListing['site']>,
) {
  return sql`update backups set site_id = ${id}, server_id = ${server_id}
    where target_id = ${target_id} and repository = ${repository}
      and domain = ${listed.domain} and site_id is null`
}

/**
 * Inserts missing backups, oldest first, so that the newest one has the highest id. Each has its
 * own time: no clock of a server makes a backup newer than now.
 */
function insertMissing({ target_id, repository, listed, now, site }: RepositoryListing) {
  const { tables, excluded } = listed
  const { id: site_id = null, server_id = null, domain = listed.domain } = site ?? {}
  return sql`insert into backups (site_id, server_id, domain, target_id, repository, snapshot, at,
      recorded_at, files, bytes, stored, tables, seconds, excluded)
    select ${site_id}, ${server_id}, ${domain}, ${target_id}, ${repository}, value ->> 'id',
      value ->> 'at', min(value ->> 'at', ${now}), value ->> 'files', value ->> 'bytes',
      value ->> 'stored', ${tables}, value ->> 'seconds', ${JSON.stringify(excluded)}
    from json_each(${JSON.stringify(listed.backups.toReversed())})
    where value ->> 'id' not in (select snapshot from backups
      where target_id = ${target_id} and repository = ${repository})
    order by key`
}

/** Records a list of a repository and `also`. Returns how many backups are gone, and are new. */
export async function recordListing(
  db: Database,
  listing: RepositoryListing,
  entry: NewActivity,
  also: (queries: Queries) => Statement[] = () => [],
): Promise<{ gone: number; found: number }> {
  const before = await countOf(db, listing)
  await writeAll(db, (queries) => [
    ...also(queries),
    ...listingStatements(queries, listing),
    queries.insert(activities).values(entry),
  ])
  const after = await countOf(db, listing)
  return { gone: Math.max(0, after.gone - before.gone), found: after.all - before.all }
}

async function countOf(db: Database, { target_id, repository }: RepositoryListing) {
  const [row] = await db.read
    .select({ all: sql<number>`count(*)`, gone: sql<number>`count(${backups.gone_at})` })
    .from(backups)
    .where(and(eq(backups.target_id, target_id), eq(backups.repository, repository)))
  return row ?? { all: 0, gone: 0 }
}
