import { and, desc, eq, inArray, lt, notInArray, sql } from 'drizzle-orm'
import type { Database, Queries } from '#dashboard/kernel/db/client.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import { operations, servers, users } from '#dashboard/kernel/db/schema.ts'
import { isOnVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { OperationsQuery, OperationView } from '#shared/operations/api/operations.ts'
import { ACTIVE } from './queries.ts'

/** The last line, which comes from an agent and may be of any length. */
const lastLine = sql<string | null>`(
  select substr(data ->> '$.message', 1, 500) from operation_events
  where operation_id = ${operations.id} and event = 'log' order by id desc limit 1)`

export const VIEW = {
  id: operations.id,
  type: operations.type,
  server_id: operations.server_id,
  server: servers.name,
  site_id: operations.site_id,
  domain: operations.domain,
  actor: users.email,
  status: operations.status,
  last_line: lastLine,
  error: operations.error,
  warnings: operations.warnings,
  attempts: operations.attempts,
  cancel: operations.cancel,
  retry_of: operations.retry_of,
  next_at: operations.next_at,
  deadline_at: operations.deadline_at,
  created_at: operations.created_at,
  started_at: operations.started_at,
  finished_at: operations.finished_at,
}

const selectViews = (read: Queries) =>
  read
    .select(VIEW)
    .from(operations)
    .innerJoin(servers, eq(servers.id, operations.server_id))
    .leftJoin(users, eq(users.id, operations.actor))

const view = preparedQuery((read) =>
  selectViews(read)
    .where(eq(operations.id, sql.placeholder('id')))
    .prepare(),
)

export function findView(db: Database, id: string): Promise<OperationView | undefined> {
  return view(db).get({ id })
}

/** Returns an operation. Throws 404 when it is unknown. */
export async function getView(db: Database, id: string): Promise<OperationView> {
  const found = await findView(db, id)
  if (!found) throw notFound('Operation')
  return found
}

export function listOperations(
  db: Database,
  query: OperationsQuery,
  visible?: Visible,
): Promise<OperationView[]> {
  return selectViews(db.read)
    .where(and(conditions(query), isOnVisibleSite(visible, operations)))
    .orderBy(desc(operations.created_at), desc(operations.id))
    .limit(query.limit)
}

function conditions(query: OperationsQuery) {
  const { status, active, type, server_id, site_id, bulk_id, before } = query
  const ofBulk = sql`(select operation_id from bulk_items where bulk_id = ${bulk_id ?? ''})`
  return and(
    status === undefined ? undefined : inArray(operations.status, status),
    active === undefined ? undefined : (active ? inArray : notInArray)(operations.status, ACTIVE),
    type === undefined ? undefined : eq(operations.type, type),
    server_id === undefined ? undefined : eq(operations.server_id, server_id),
    site_id === undefined ? undefined : eq(operations.site_id, site_id),
    bulk_id === undefined ? undefined : sql`${operations.id} in ${ofBulk}`,
    before === undefined ? undefined : isBefore(before),
  )
}

/** The condition for the next page; an id marks it exactly, also within a millisecond. */
function isBefore(seen: string) {
  const { created_at, id } = operations
  if (seen.includes(':')) return lt(created_at, seen)
  return sql`(${created_at}, ${id}) < (select created_at, id from operations where id = ${seen})`
}
