import { eq } from 'drizzle-orm'
import { backup_targets, dashboard_targets } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'

export type OwnTarget = typeof dashboard_targets.$inferSelect

export const OWN_ID = 1

export async function findOwnTarget(db: Database): Promise<OwnTarget | undefined> {
  const [row] = await db.read
    .select()
    .from(dashboard_targets)
    .where(eq(dashboard_targets.id, OWN_ID))
  return row
}

export const listSealedTargets = (db: Database) =>
  db.read.select().from(backup_targets).orderBy(backup_targets.name)
