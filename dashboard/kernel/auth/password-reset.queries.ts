import { eq, getTableColumns } from 'drizzle-orm'
import { password_resets } from '#dashboard/kernel/db/auth-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns, MarkedRow } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import type { MarkedRecords } from './queries.ts'

/** Inserts a link, which ends the previous one of the account. */
export async function insertReset(
  { db, marks }: MarkedRecords,
  values: CoveredColumns<'password_resets'>,
  entry: NewActivity,
): Promise<void> {
  const row = { ...values, mark: marks.of('password_resets', values) }
  const { user_id } = getTableColumns(password_resets)
  await writeAll(db, (queries) => [
    queries.insert(password_resets).values(row).onConflictDoUpdate({ target: user_id, set: row }),
    queries.insert(activities).values(entry),
  ])
}

/** Returns undefined for a link that was changed outside of the dashboard. */
export async function findReset(
  { db, marks }: MarkedRecords,
  hash: string,
): Promise<MarkedRow<'password_resets'> | undefined> {
  const row = await db.read
    .select()
    .from(password_resets)
    .where(eq(password_resets.hash, hash))
    .get()
  return row && marks.fits('password_resets', row) ? row : undefined
}

/** Deletes a link before its use. Returns false for all but the first of several uses. */
export async function takeReset(db: Database, hash: string): Promise<boolean> {
  const rows = await db.write((queries) =>
    queries
      .delete(password_resets)
      .where(eq(password_resets.hash, hash))
      .returning({ user_id: password_resets.user_id }),
  )
  return rows.length > 0
}
