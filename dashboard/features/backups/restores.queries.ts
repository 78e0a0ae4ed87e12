import { eq } from 'drizzle-orm'
import { backup_restores } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'

type Restore = Omit<typeof backup_restores.$inferSelect, 'site_id'>

/** Returns the last operation that replaced a site; undefined when none, or it was undone. */
export async function findRestore(db: Database, site_id: number): Promise<Restore | undefined> {
  const { at, until, cause } = backup_restores
  const [row] = await db.read
    .select({ at, until, cause })
    .from(backup_restores)
    .where(eq(backup_restores.site_id, site_id))
  return row
}

export function restoreStatements(
  queries: Queries,
  site_id: number,
  restore: Restore | null,
): Statement[] {
  const gone = queries.delete(backup_restores).where(eq(backup_restores.site_id, site_id))
  return restore ? [gone, queries.insert(backup_restores).values({ site_id, ...restore })] : [gone]
}
