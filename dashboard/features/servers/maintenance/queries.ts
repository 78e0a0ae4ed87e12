import { and, asc, eq, sql } from 'drizzle-orm'
import { isYounger } from '#dashboard/kernel/db/age.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { jsonOf } from '#dashboard/kernel/db/json-of.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { server_maintenance, servers } from '#dashboard/kernel/db/schema.ts'
import type { MaintenanceView } from '#shared/updates/api/maintenance.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'

export async function getMaintenance(db: Database, server_id: number): Promise<MaintenanceView> {
  const [row] = await db.read
    .select({ at: server_maintenance.at, maintenance: server_maintenance.maintenance })
    .from(server_maintenance)
    .where(eq(server_maintenance.server_id, server_id))
  return row ?? { at: null, maintenance: null }
}

const { maintenance } = server_maintenance
const namesWhere = (path: string, condition: string) =>
  jsonOf<string[]>(sql`(select json_group_array(value ->> '$.name')
    from json_each(${maintenance}, ${sql.raw(`'${path}'`)}) where ${sql.raw(condition)})`)

/** Lists the data of each server for the overview; most of a report are names of packages. */
export function listMaintenance(db: Database) {
  return db.read
    .select({
      id: servers.id,
      name: servers.name,
      status: servers.status,
      security: namesWhere('$.packages', `value ->> '$.security' = 1`),
      unattended: sql<boolean>`${maintenance} ->> '$.unattended.enabled'`.mapWith(Boolean),
      reboot: jsonOf<string[]>(sql`coalesce(${maintenance} ->> '$.reboot.reasons', '[]')`),
      old_files: namesWhere('$.old_files', `value ->> '$.kind' <> 'other'`),
      others: namesWhere('$.old_files', `value ->> '$.kind' = 'other'`),
      problem: sql<string>`coalesce((select value ->> '$.problem'
        from json_each(${maintenance}, '$.old_files')
        where value ->> '$.problem' <> '' and value ->> '$.kind' <> 'other' limit 1), '')`,
      since: sql<string | null>`(select min(value ->> '$.since')
        from json_each(${maintenance}, '$.old_files'))`,
      restarts: jsonOf<Maintenance['restarts']>(
        sql`coalesce(${maintenance} ->> '$.restarts', '[]')`,
      ),
    })
    .from(server_maintenance)
    .innerJoin(servers, eq(servers.id, server_maintenance.server_id))
    .orderBy(asc(servers.name), asc(servers.id))
}

/**
 * Lists online servers whose unattended updates differ from the setting, without a call within
 * `retry_ms`. The configuration of an administrator stays.
 */
export function listToConfigure(
  db: Database,
  {
    unattended,
    now,
    retry_ms,
    limit,
  }: { unattended: boolean; now: Date; retry_ms: number; limit: number },
): Promise<{ server: ServerRow }[]> {
  const requested = sql`exists (select 1 from operations where operations.server_id = servers.id
    and operations.type = 'updates.configure' and (operations.status in ('queued', 'running')
      or (operations.status <> 'success' and ${isYounger(sql`operations.created_at`, retry_ms, now)})))`
  return db.read
    .select({ server: servers })
    .from(server_maintenance)
    .innerJoin(servers, eq(servers.id, server_maintenance.server_id))
    .where(
      and(
        eq(servers.status, 'online'),
        sql`${maintenance} ->> '$.unattended.source' <> 'administrator'`,
        sql`${maintenance} ->> '$.unattended.wanted' is not ${unattended ? 1 : 0}`,
        sql`not ${requested}`,
      ),
    )
    .orderBy(asc(servers.id))
    .limit(limit)
}
