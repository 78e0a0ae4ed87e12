import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { batch, type Database, type Queries, type Statement } from '#dashboard/kernel/db/client.ts'
import { excludesOf, exclusiveWith } from '#dashboard/kernel/db/exclusion.ts'
import type { NewActivity, OperationRow } from '#dashboard/kernel/db/rows.ts'
import { activities, operations } from '#dashboard/kernel/db/schema.ts'
import { violatesNotNull, violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import type { StartChange } from './rules.ts'

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
> & {
  source: Pick<NewActivity, 'via' | 'token' | 'address'>
}

export const ACTIVE: OperationRow['status'][] = ['queued', 'running']

/** The id of a site, null, or the domain of one that an earlier statement inserts. */
type SiteReference = number | null | { inserted: string }

/** Inserts a queued or `ended` operation and its activity, in one batch with the change itself. */
export function operationStatements(
  queries: Queries,
  { source, ...operation }: NewOperation,
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
      ...source,
    }),
  ]
}

/** Inserts an operation and its change of the records. Throws 409 when there is another one. */
export async function insertOperation(
  db: Database,
  operation: NewOperation,
  site_id: number | null,
  change: StartChange,
): Promise<OperationRow> {
  const insert = (queries: Queries) => [
    ...operationStatements(queries, operation, site_id),
    ...change(queries, { ...operation, site_id }, operation.created_at),
  ]
  await db
    .write((queries) => batch(queries, insert(queries)))
    .catch(async (error: unknown) => {
      if (isNameTaken(error)) throw conflict('Another site has just taken one of the names')
      if (!isExcluded(error)) throw error
      throw busyError(await findActive(db, { ...operation, site_id }))
    })
  return getOperation(db, operation.id)
}

/** Returns the refusal by the operation of a site; undefined when that has just ended. */
export function busyError(active: Pick<OperationRow, 'type' | 'domain'> | undefined) {
  if (!active) return conflict('Another operation is running')
  const { title } = OPERATION_TYPES[active.type]
  return conflict(`Another operation is running: ${title} ${active.domain}`)
}

/** Whether a name that the operation adds to its site is one of another site. */
export function isNameTaken(error: unknown): boolean {
  return violatesUnique(error, 'site_names.') || violatesNotNull(error, 'site_names.apex')
}

/** Whether the site, or the sync of the server, has another running operation. */
export function isExcluded(error: unknown): boolean {
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

/** Returns the operation that holds a site, or the sync that holds a server. */
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

export function listUnfinished(db: Database) {
  const { id, server_id, cancel } = operations
  return db.read
    .select({ id, server_id, cancel })
    .from(operations)
    .where(inArray(operations.status, ACTIVE))
    .orderBy(asc(operations.created_at))
}
