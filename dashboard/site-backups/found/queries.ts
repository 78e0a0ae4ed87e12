import { and, count, eq, isNull } from 'drizzle-orm'
import { backup_repositories, backups } from '#dashboard/db/backup-schema.ts'
import type { Database } from '#dashboard/db/client.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import { type Listing, recordListing } from './record.queries.ts'

/** How many backups of each repository in a target are recorded. */
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
  listing: Listing
  entry: NewActivity
}

/**
 * Records a repository and its backups: for the site whose system user has its name, if there is
 * one. Returns how many backups had no record.
 */
export async function adopt(
  db: Database,
  { repository, listing, entry }: Adopted,
): Promise<number> {
  const { found } = await recordListing(db, listing, entry, (queries) => [
    queries
      .insert(backup_repositories)
      .values(repository)
      .onConflictDoUpdate({
        target: [backup_repositories.target_id, backup_repositories.name],
        set: repository,
      }),
  ])
  return found
}
