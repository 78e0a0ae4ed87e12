import { and, eq, exists, inArray, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { dns_changes } from '#dashboard/kernel/db/dns-schema.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { operations } from '#dashboard/kernel/db/schema.ts'

/** Notes changes before the first record changes; earlier ones are not undone any more. */
export async function noteChanges(
  db: Database,
  { id, site_id }: Pick<OperationRow, 'id' | 'site_id'>,
): Promise<void> {
  if (site_id !== null) await forgetUndo(db, site_id)
  await db.write((queries) =>
    queries.insert(dns_changes).values({ operation_id: id }).onConflictDoNothing(),
  )
}

/** Forgets the former changes of a site, which a change by a user replaces. */
export const forgetUndo = (db: Database, site_id: number) =>
  db.write((queries) =>
    queries
      .update(dns_changes)
      .set({ is_over: true })
      .where(
        exists(
          queries
            .select({ one: sql`1` })
            .from(operations)
            .where(
              and(
                eq(operations.id, dns_changes.operation_id),
                eq(operations.site_id, site_id),
                inArray(operations.status, ['failed', 'cancelled', 'success']),
              ),
            ),
        ),
      ),
  )

/** Lists the failed operations whose records are not as before. */
export async function listUndo(
  db: Database,
  only?: string,
): Promise<{ operation: OperationRow; tries: number }[]> {
  return db.read
    .select({ operation: operations, tries: dns_changes.tries })
    .from(dns_changes)
    .innerJoin(operations, eq(operations.id, dns_changes.operation_id))
    .where(
      and(
        only === undefined ? undefined : eq(operations.id, only),
        eq(dns_changes.is_over, false),
        inArray(operations.status, ['failed', 'cancelled']),
      ),
    )
}

export const endUndo = (db: Database, operation_id: string, tries: number, is_over: boolean) =>
  db.write((queries) =>
    queries
      .update(dns_changes)
      .set({ tries, is_over })
      .where(eq(dns_changes.operation_id, operation_id)),
  )

/** Whether changes can be undone: an undo of others of the site, or a call, ends that. */
export async function isOpen(db: Database, operation_id: string): Promise<boolean> {
  const row = await db.read
    .select({ is_over: dns_changes.is_over })
    .from(dns_changes)
    .where(eq(dns_changes.operation_id, operation_id))
    .get()
  return row?.is_over === false
}
