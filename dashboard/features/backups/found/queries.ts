import { and, count, eq, isNull, sql } from 'drizzle-orm'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { backup_repositories } from '#dashboard/kernel/db/repositories-schema.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { type RepositoryListing, recordListing } from './record.queries.ts'

export async function countRecorded(db: Database, target_id: number): Promise<Map<string, number>> {
  const rows = await db.read
    .select({ name: backups.repository, known: count() })
    .from(backups)
    .where(and(eq(backups.target_id, target_id), isNull(backups.gone_at)))
    .groupBy(backups.repository)
  return new Map(rows.map(({ name, known }) => [name, known]))
}

/** The number that a repository has after the system user of its site, from the second one on. */
const NUMBER_SUFFIX = /-\d+$/
const MAX_LETTERS = 32

/**
 * Returns the site that a repository belongs to: its owner, or the managed site that has the domain
 * of its backups, and after whose system user it is named.
 */
export async function findOwner(
  db: Database,
  { target_id, name, domain }: { target_id: number; name: string; domain: string },
): Promise<{ id: number; server_id: number; domain: string } | undefined> {
  const base = name.replace(NUMBER_SUFFIX, '')
  const isCut = name.length === MAX_LETTERS
  const isNamed = sql`(${sites.user} in (${name}, ${base})
    or ${isCut} and substr(${sites.user}, 1, ${base.length}) = ${base})`
  const owned = sql`(select site_id from backup_repositories
    where target_id = ${target_id} and name = ${name})`
  const [row] = await db.read
    .select({ id: sites.id, server_id: sites.server_id, domain: sites.domain })
    .from(sites)
    .where(
      sql`case when ${owned} is null
        then not ${sites.found} and ${sites.domain} = ${domain} and ${isNamed}
        else ${sites.id} = ${owned} end`,
    )
    .orderBy(sites.id)
    .limit(1)
  return row
}

interface AdoptedRepository {
  repository: typeof backup_repositories.$inferInsert
  listing: RepositoryListing
  entry: NewActivity
}

/**
 * Records a repository and its backups. It keeps its owner; nobody knows which servers have its
 * password. Returns how many backups had no record.
 */
export async function recordAdoption(
  db: Database,
  { repository, listing, entry }: AdoptedRepository,
): Promise<number> {
  const { found } = await recordListing(db, listing, entry, (queries) => [
    queries
      .insert(backup_repositories)
      .values({ ...repository, site_id: listing.site?.id ?? null, is_shared: true })
      .onConflictDoUpdate({
        target: [backup_repositories.target_id, backup_repositories.name],
        set: {
          kit_id: repository.kit_id,
          sealed_password: repository.sealed_password,
          site_id: sql`coalesce(site_id, excluded.site_id)`,
          is_shared: true,
        },
      }),
  ])
  return found
}
