import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { NewActivity, OperationRow } from '#dashboard/kernel/db/rows.ts'
import { operations } from '#dashboard/kernel/db/schema.ts'

export type CancelMode = NonNullable<OperationRow['cancel']>

/** Returns the requested cancel mode of an operation; null without a request. */
export async function findCancelRequest(db: Database, id: string): Promise<CancelMode | null> {
  const [row] = await db.read
    .select({ cancel: operations.cancel })
    .from(operations)
    .where(eq(operations.id, id))
  return row?.cancel ?? null
}

/** Records a cancel request, which never becomes weaker; false when the operation has ended. */
export async function recordCancelRequest(
  db: Database,
  id: string,
  mode: CancelMode,
  { type, domain, status, server_id, user_id, via, token, address, created_at }: NewActivity,
): Promise<boolean> {
  const active = and(eq(operations.id, id), inArray(operations.status, ['queued', 'running']))
  const [, rows] = await db.write((queries) =>
    queries.batch([
      queries.run(sql`
        insert into activities (type, domain, status, server_id, user_id, via, token, address, created_at)
        select ${type}, ${domain}, ${status}, ${server_id}, ${user_id}, ${via ?? 'system'}, ${token ?? null}, ${address ?? null}, ${created_at}
        where exists (select 1 from operations where ${active})`),
      queries
        .update(operations)
        .set({ cancel: sql`case when cancel = 'forced' then cancel else ${mode} end` })
        .where(active)
        .returning({ id: operations.id }),
    ]),
  )
  return rows.length > 0
}
