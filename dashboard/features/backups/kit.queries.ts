import { desc, eq, isNotNull } from 'drizzle-orm'
import { backup_kits } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'

export type KitRow = typeof backup_kits.$inferSelect
type NewKit = typeof backup_kits.$inferInsert

/** Returns the last kit; with `confirmed`, the last of those that are in use. */
export async function findKit(db: Database, { confirmed = false } = {}) {
  const [row] = await db.read
    .select()
    .from(backup_kits)
    .where(confirmed ? isNotNull(backup_kits.confirmed_at) : undefined)
    .orderBy(desc(backup_kits.id))
    .limit(1)
  return row
}

export async function getKit(db: Database, id: number): Promise<KitRow> {
  const [row] = await db.read.select().from(backup_kits).where(eq(backup_kits.id, id))
  if (!row) throw new Error(`no kit ${id}`)
  return row
}

export async function insertKit(db: Database, values: NewKit, entry: NewActivity) {
  await db.write((queries) =>
    queries.batch([
      queries.insert(backup_kits).values(values),
      queries.insert(activities).values(entry),
    ]),
  )
}

export async function confirmKit(
  db: Database,
  id: number,
  confirmed_at: string,
  entry: NewActivity,
): Promise<void> {
  await db.write((queries) =>
    queries.batch([
      queries.update(backup_kits).set({ confirmed_at }).where(eq(backup_kits.id, id)),
      queries.insert(activities).values(entry),
    ]),
  )
}
