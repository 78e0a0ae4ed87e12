import { and, eq, lt } from 'drizzle-orm'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { writeAll } from '#dashboard/kernel/db/client.ts'
import { sso_flows } from '#dashboard/kernel/db/identity-schema.ts'
import type { CoveredColumns, MarkedRow } from '#dashboard/kernel/db/marks.ts'

export type FlowRow = MarkedRow<'sso_flows'>

/** Inserts a login that has begun, and deletes those that have expired. */
export async function insertFlow(
  { db, marks }: MarkedRecords,
  values: CoveredColumns<'sso_flows'>,
  now: string,
): Promise<void> {
  const row = { ...values, mark: marks.of('sso_flows', values) }
  await writeAll(db, (queries) => [
    queries.delete(sso_flows).where(lt(sso_flows.expires_at, now)),
    queries.insert(sso_flows).values(row),
  ])
}

export async function findFlow(
  { db, marks }: MarkedRecords,
  hash: string,
): Promise<FlowRow | undefined> {
  const row = await db.read.select().from(sso_flows).where(eq(sso_flows.hash, hash)).get()
  return row && marks.fits('sso_flows', row) ? row : undefined
}

/** Deletes a login before its use. Returns false for all but the first of several uses. */
export async function takeFlow(
  { db }: Pick<MarkedRecords, 'db'>,
  { hash, mark }: Pick<FlowRow, 'hash' | 'mark'>,
): Promise<boolean> {
  const rows = await db.write((queries) =>
    queries
      .delete(sso_flows)
      .where(and(eq(sso_flows.hash, hash), eq(sso_flows.mark, mark)))
      .returning({ hash: sso_flows.hash }),
  )
  return rows.length > 0
}
