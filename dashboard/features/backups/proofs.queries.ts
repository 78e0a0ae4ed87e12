import { and, desc, eq, isNull } from 'drizzle-orm'
import { backup_proofs, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'

export const proofStatement = (
  queries: Queries,
  proof: typeof backup_proofs.$inferInsert,
): Statement => queries.insert(backup_proofs).values(proof)

/** Returns the newest backup of a site in its repository, whatever the clock of its server said. */
export async function findNewestBackup(
  db: Database,
  site_id: number,
): Promise<{ id: number } | undefined> {
  const [row] = await db.read
    .select({ id: backups.id })
    .from(backups)
    .where(and(eq(backups.site_id, site_id), isNull(backups.gone_at)))
    .orderBy(desc(backups.recorded_at), desc(backups.id))
    .limit(1)
  return row
}
