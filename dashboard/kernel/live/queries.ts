import { and, eq, gt, inArray, or, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { bulk_operations, operations, servers, users } from '#dashboard/kernel/db/schema.ts'
import { VIEW } from '#dashboard/kernel/engine/views.queries.ts'

const ACTIVE = ['queued', 'running'] as const
const ENDED = ['success', 'failed', 'cancelled'] as const

/** Lists running and just ended operations, each with the number of its last event. */
export function listRecentOperations(db: Database, since: string) {
  const { status, finished_at } = operations
  return db.read
    .select({
      view: VIEW,
      event_id: sql<number>`coalesce((
        select max(id) from operation_events where operation_id = operations.id), 0)`,
    })
    .from(operations)
    .innerJoin(servers, eq(servers.id, operations.server_id))
    .leftJoin(users, eq(users.id, operations.actor))
    .where(
      or(inArray(status, [...ACTIVE]), and(inArray(status, [...ENDED]), gt(finished_at, since))),
    )
}

/** Lists all data of a server on pages except objects with their own events, as one text each. */
export function listServerStates(db: Database) {
  const { id, name, hostname, port, user, tags, status, failures, last_error } = servers
  const { version, last_sync, metrics_at } = servers
  const shown = [name, hostname, port, user, tags, status, failures, last_error, version]
  const parts = sql.join([...shown, last_sync, metrics_at], sql`, `)
  return db.read.select({ id, state: sql<string>`json_array(${parts})` }).from(servers)
}

export function listBulkStates(db: Database, since: string) {
  const { id, status, finished_at } = bulk_operations
  return db.read
    .select({
      id,
      state: sql<string>`${status} || ' ' || coalesce((
        select max(id) from bulk_events where bulk_id = bulk_operations.id), 0)`,
    })
    .from(bulk_operations)
    .where(or(inArray(status, ['running', 'paused']), gt(finished_at, since)))
}
