import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { isYounger } from '#dashboard/kernel/db/age.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'

import { RETRY_MS } from './schedule.ts'

type BackupWork = 'backup.create' | 'backup.prove'

/** Lists the online servers of waiting and running operations, once for each operation. */
export async function listBusyServers(db: Database, type: BackupWork): Promise<number[]> {
  const rows = await db.read
    .select({ server_id: operations.server_id })
    .from(operations)
    .innerJoin(servers, eq(servers.id, operations.server_id))
    .where(
      and(
        inArray(operations.status, ['queued', 'running']),
        eq(operations.type, type),
        eq(servers.status, 'online'),
      ),
    )
  return rows.map(({ server_id }) => server_id)
}

export const isReachable: SQL = sql`${sites.server_id} in
  (select id from servers where status = 'online')`

/** The condition for sites without a failed attempt within the pause before a retry. */
export const isNotTried = (type: BackupWork, now: Date): SQL =>
  sql`${sites.id} not in (select site_id from operations
    where status in ('failed', 'cancelled') and ${isYounger(sql`finished_at`, RETRY_MS, now)}
      and type = ${type} and site_id is not null)`
