import { eq } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_moves } from '#dashboard/kernel/db/moves-schema.ts'

export type MoveRow = typeof site_moves.$inferSelect

export async function findMove(db: Database, site_id: number): Promise<MoveRow | undefined> {
  const [row] = await db.read.select().from(site_moves).where(eq(site_moves.site_id, site_id))
  return row
}
