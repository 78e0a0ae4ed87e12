import { and, asc, eq, sql } from 'drizzle-orm'
import { forgetStatements } from '#dashboard/features/metrics/queries.ts'
import type { PolicyGuard } from '#dashboard/kernel/auth/policy.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { NewActivity, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { activities, servers } from '#dashboard/kernel/db/schema.ts'
import { isOnVisibleServer } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { sourceOf } from '#dashboard/kernel/runtime/call-source.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { ServerDetail, ServerListed } from '#shared/servers/api/servers.ts'

/** The number of sites of a server; a site in the trash is on no server. */
export const sites_count = sql<number>`(select count(*) from sites where sites.server_id = servers.id and sites.status <> 'trashed' and sites.ignored_at is null)`

const SHARED_COLUMNS = {
  id: servers.id,
  name: servers.name,
  hostname: servers.hostname,
  port: servers.port,
  tags: servers.tags,
  os: servers.os,
  version: servers.version,
  sites_count,
}

export function listServers(db: Database, visible?: Visible): Promise<ServerListed[]> {
  return db.read
    .select({ ...SHARED_COLUMNS, user: servers.user, last_sync: servers.last_sync })
    .from(servers)
    .where(isOnVisibleServer(visible, servers.id))
    .orderBy(asc(servers.id))
}

export async function getServerDetail(db: Database, id: number): Promise<ServerDetail> {
  const [row] = await db.read
    .select({ ...SHARED_COLUMNS, metrics: servers.metrics })
    .from(servers)
    .where(eq(servers.id, id))
  if (!row) throw notFound('Server')
  const { cpu, ram } = row.metrics ?? { cpu: 0, ram: { used: 0, total: 0, unit: 'MB' as const } }
  return { ...row, metrics: { cpu, ram } }
}

type NewServer = Pick<ServerRow, 'name' | 'hostname' | 'port' | 'user' | 'tags' | 'created_at'>

export async function insertServer(
  db: Database,
  values: NewServer,
  user_id: number,
  guard: PolicyGuard,
) {
  const source = sourceOf(user_id)
  const created = { id: servers.id, name: servers.name, status: servers.status }
  const [, rows] = await db.write((queries) =>
    queries.batch([
      guard(queries),
      queries.insert(servers).values(values).returning(created),
      queries.insert(activities).values({
        type: 'server.create',
        domain: values.hostname,
        status: 'success',
        server_id: sql`last_insert_rowid()`,
        user_id,
        ...source,
        created_at: values.created_at,
      }),
    ]),
  )
  const [server] = rows
  if (!server) throw new Error('insert returned no row')
  return server
}

/** Updates the server and returns it. Throws 404 when it was deleted. */
export async function updateServer(
  db: Database,
  id: number,
  values: Partial<ServerRow>,
  entry: NewActivity,
  guard: PolicyGuard,
) {
  const updated = { id: servers.id, name: servers.name, tags: servers.tags }
  const [, rows] = await db.write((queries) =>
    queries.batch([
      guard(queries),
      queries
        .update(servers)
        .set({ ...values, name: values.name ?? sql`name` })
        .where(eq(servers.id, id))
        .returning(updated),
      queries.insert(activities).values(entry),
    ]),
  )
  const [server] = rows
  if (!server) throw notFound('Server')
  return server
}

/** Deletes a server with its sites and operations; false while an operation is running. */
export async function deleteServer(
  db: Database,
  { id, hostname }: ServerRow,
  { user_id, created_at }: { user_id: number; created_at: string },
): Promise<boolean> {
  const { via, token, address } = sourceOf(user_id)
  const [, rows] = await db.write((queries) =>
    queries.batch([
      queries.run(sql`
        insert into activities (type, domain, status, server_id, user_id, via, token, address, created_at)
        select 'server.delete', ${hostname}, 'success', ${id}, ${user_id}, ${via}, ${token}, ${address}, ${created_at}
        where not ${isBusy(id)}`),
      queries
        .delete(servers)
        .where(and(eq(servers.id, id), sql`not ${isBusy(id)}`))
        .returning({ id: servers.id }),
      ...forgetStatements(queries, id),
    ]),
  )
  return rows.length > 0
}

function isBusy(server_id: number) {
  return sql`exists (select 1 from operations where operations.server_id = ${server_id} and operations.status = 'running')`
}
