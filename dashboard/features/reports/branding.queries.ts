import { eq } from 'drizzle-orm'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import { branding } from '#dashboard/kernel/db/reports-schema.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import { DEFAULT_COLOR } from '#shared/reports/api/branding.ts'

type BrandingRow = typeof branding.$inferSelect

/** The id of the only row. */
const ID = 1
const isOnly = eq(branding.id, ID)

export async function findBranding(db: Database): Promise<BrandingRow | undefined> {
  const [row] = await db.read.select().from(branding).where(isOnly)
  return row
}

export async function saveBranding(
  db: Database,
  values: Partial<Omit<BrandingRow, 'id'>>,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries
      .insert(branding)
      .values({ id: ID, color: DEFAULT_COLOR, ...values })
      .onConflictDoUpdate({ target: branding.id, set: values }),
    queries.insert(activities).values(entry),
  ])
}
