import { and, asc, desc, eq, inArray, lt, notInArray, sql } from 'drizzle-orm'
import { batch, type Database, type Queries, type Statement } from '#dashboard/db/client.ts'
import { excludesOf, exclusiveWith } from '#dashboard/db/exclusion.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { activities, operations, servers, users } from '#dashboard/db/schema.ts'
import { violatesNotNull, violatesUnique } from '#dashboard/db/violations.ts'
import type { OperationsQuery, OperationView } from '#shared/api/operations.ts'
import { conflict, notFound } from '#shared/errors.ts'
import type { Change } from './rules.ts'

export type NewOperation = Pick<
  OperationRow,
  | 'id'
  | 'type'
  | 'server_id'
  | 'domain'
  | 'params'
  | 'deadline_at'
  | 'created_at'
  | 'actor'
  | 'retry_of'
  | 'backup_first'
>

const ACTIVE: OperationRow['status'][] = ['queued', 'running']

/**
 * A number, null, or the domain of a site of the server that an earlier statement of the batch
 * inserts.
 */
type SiteReference = number | null | { inserted: string }

/** A queued or `ended` operation and its activity, for one batch with the change itself. */
export function operationStatements(
  queries: Queries,
  operation: NewOperation,
  site: SiteReference,
  ended?: Partial<OperationRow> & { status: 'success' },
): Statement[] {
  const { id, type, domain, server_id, actor, created_at } = operation
  const site_id =
    site === null || typeof site === 'number'
      ? site
      : sql<number>`(select id from sites where server_id = ${server_id} and domain = ${site.inserted})`
  return [
    queries.insert(operations).values({
      ...operation,
      site_id,
      excludes: excludesOf(type),
      status: 'queued',
      ...ended,
    }),
    queries.insert(activities).values({
      type,
      domain,
      status: ended?.status ?? 'running',
      server_id,
      operation_id: id,
      user_id: actor,
      created_at,
    }),
  ]
}

/** With its change of the records. 409 when the site or the sync has another one. */
export async function insertOperation(
  db: Database,
  operation: NewOperation,
  site_id: number | null,
  change: Change,
): Promise<OperationRow> {
  const insert = (queries: Queries) => [
    ...operationStatements(queries, operation, site_id),
    ...change(queries, { ...operation, site_id }, operation.created_at),
  ]
  await db
    .write((queries) => batch(queries, insert(queries)))
    .catch((error: unknown) => {
      if (isNameTaken(error)) throw conflict('Another site has just taken one of the names')
      if (!isTaken(error)) throw error
      throw conflict('Another operation is running')
    })
  return getOperation(db, operation.id)
}

/** Whether a name that the operation adds to its site is one of another site. */
function isNameTaken(error: unknown): boolean {
  return violatesUnique(error, 'site_names.') || violatesNotNull(error, 'site_names.apex')
}

/** Whether the site, or the sync of the server, has another running operation. */
export function isTaken(error: unknown): boolean {
  return violatesUnique(error, 'operations.')
}

export async function getOperation(db: Database, id: string): Promise<OperationRow> {
  const row = await findOperation(db, id)
  if (!row) throw notFound('Operation')
  return row
}

export function findOperation(db: Database, id: string): Promise<OperationRow | undefined> {
  return db.read.select().from(operations).where(eq(operations.id, id)).get()
}

/** The operation that holds a site, or the sync that holds a server. */
export function findActive(
  db: Database,
  { type, server_id, site_id }: Pick<OperationRow, 'type' | 'server_id' | 'site_id'>,
): Promise<OperationRow | undefined> {
  const holder =
    site_id === null
      ? and(eq(operations.server_id, server_id), eq(operations.type, type))
      : and(eq(operations.site_id, site_id), sql.raw(exclusiveWith(type)))
  return db.read
    .select()
    .from(operations)
    .where(and(holder, inArray(operations.status, ACTIVE)))
    .get()
}

/** The operations without an outcome, oldest first. */
export function listUnfinished(db: Database) {
  const { id, server_id, cancel } = operations
  return db.read
    .select({ id, server_id, cancel })
    .from(operations)
    .where(inArray(operations.status, ACTIVE))
    .orderBy(asc(operations.created_at))
}

/** A line comes from an agent, and may be of any length. */
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

const views = (db: Database) =>
  db.read
    .select(VIEW)
    .from(operations)
    .innerJoin(servers, eq(servers.id, operations.server_id))
    .leftJoin(users, eq(users.id, operations.actor))

export function findView(db: Database, id: string): Promise<OperationView | undefined> {
  return views(db).where(eq(operations.id, id)).get()
}

/** Throws 404 when it is unknown. */
export async function getView(db: Database, id: string): Promise<OperationView> {
  const view = await findView(db, id)
  if (!view) throw notFound('Operation')
  return view
}

/** Newest first. */
export function listOperations(db: Database, query: OperationsQuery): Promise<OperationView[]> {
  return views(db)
    .where(conditions(query))
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

/** Many may start in the same millisecond, so an id marks the end of a page exactly. */
function isBefore(seen: string) {
  const { created_at, id } = operations
  if (seen.includes(':')) return lt(created_at, seen)
  return sql`(${created_at}, ${id}) < (select created_at, id from operations where id = ${seen})`
}
