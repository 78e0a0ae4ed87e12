import { and, eq, inArray, isNull, lt, notInArray, sql } from 'drizzle-orm'
import { site_sessions } from './access-schema.ts'
import { password_resets, sessions, used_challenges } from './auth-schema.ts'
import { type Database, type Queries, writeAll } from './client.ts'
import { sso_flows } from './identity-schema.ts'
import { bulk_events, bulk_operations, operation_events, operations, sites } from './schema.ts'
import { operation_steps } from './steps-schema.ts'

const DAY_MS = 24 * 3600_000
/** The maximum of rows in one deletion, so that no other write waits for long. */
const MAX_ROWS = 500

const EVENTS_DAYS = 30
const OPERATIONS_DAYS = 180
const LOGINS_DAYS = 400
const MISSING_DAYS = 7

/**
 * Deletes expired records: events before their operations, and missing discovered sites. Those of
 * the activity have a chain (activity/record.ts).
 */
export async function deleteExpired(db: Database, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString()
  await deleteMissing(db, before(MISSING_DAYS))
  await deleteOperations(db, before(OPERATIONS_DAYS))
  await deleteEvents(db, before(EVENTS_DAYS))
  await deleteBulks(db, before(OPERATIONS_DAYS))
  await deleteBulkEvents(db, before(EVENTS_DAYS))
  await db.write((queries) =>
    queries.delete(site_sessions).where(lt(site_sessions.at, before(LOGINS_DAYS))),
  )
  await writeAll(db, (queries) => [
    queries.run(sql`insert into activities
        (type, domain, status, user_id, detail, created_at, via)
      select 'auth.session_expire', '', 'success', user_id, 'sign-in at ' || created_at,
        expires_at, 'system'
      from sessions where expires_at < ${now.toISOString()}`),
    queries.delete(sessions).where(lt(sessions.expires_at, now.toISOString())),
  ])
  await db.write((queries) =>
    queries.delete(password_resets).where(lt(password_resets.expires_at, now.toISOString())),
  )
  await db.write((queries) =>
    queries.delete(sso_flows).where(lt(sso_flows.expires_at, now.toISOString())),
  )
  await db.write((queries) =>
    queries.delete(used_challenges).where(lt(used_challenges.expires_at, now.toISOString())),
  )
}

/** Deletes discovered sites without any operation that are missing on their server. */
async function deleteMissing(db: Database, before: string): Promise<void> {
  const untouched = sql`not exists (select 1 from operations where operations.site_id = sites.id)`
  const expired = and(
    eq(sites.status, 'missing'),
    eq(sites.managed, false),
    lt(sites.missing_since, before),
    isNull(sites.last_scan),
    untouched,
  )
  const some = db.read.select({ id: sites.id }).from(sites).where(expired).limit(MAX_ROWS)
  await inChunks(db, (queries) =>
    queries.delete(sites).where(inArray(sites.id, some)).returning({ id: sites.id }),
  )
}

async function deleteOperations(db: Database, before: string): Promise<void> {
  const old = and(
    lt(operations.finished_at, before),
    notInArray(operations.status, ['queued', 'running']),
  )
  const some = db.read.select({ id: operations.id }).from(operations).where(old).limit(MAX_ROWS)
  await inChunks(db, (queries) =>
    queries.delete(operations).where(inArray(operations.id, some)).returning({ id: operations.id }),
  )
}

/** Repeats a deletion of at most MAX_ROWS rows until fewer are left. */
async function inChunks(
  db: Database,
  deletion: (queries: Queries) => Promise<unknown[]>,
): Promise<void> {
  while ((await db.write(deletion)).length === MAX_ROWS);
}

/** Deletes the events of one operation at a time; the operation stays with its outcome. */
async function deleteEvents(db: Database, before: string): Promise<void> {
  const old = await db.read
    .selectDistinct({ id: operations.id })
    .from(operations)
    .innerJoin(operation_events, eq(operation_events.operation_id, operations.id))
    .where(lt(operations.finished_at, before))
  for (const { id } of old)
    await writeAll(db, (queries) => [
      queries.delete(operation_events).where(eq(operation_events.operation_id, id)),
      queries.delete(operation_steps).where(eq(operation_steps.operation_id, id)),
    ])
}

/** Deletes bulk operations one at a time: each may have ten thousand items and events. */
async function deleteBulks(db: Database, before: string): Promise<void> {
  const { id, finished_at } = bulk_operations
  const old = await db.read.select({ id }).from(bulk_operations).where(lt(finished_at, before))
  for (const bulk of old)
    await db.write((queries) => queries.delete(bulk_operations).where(eq(id, bulk.id)))
}

async function deleteBulkEvents(db: Database, before: string): Promise<void> {
  const { id, finished_at } = bulk_operations
  const old = await db.read
    .selectDistinct({ id })
    .from(bulk_operations)
    .innerJoin(bulk_events, eq(bulk_events.bulk_id, id))
    .where(lt(finished_at, before))
  for (const bulk of old)
    await db.write((queries) => queries.delete(bulk_events).where(eq(bulk_events.bulk_id, bulk.id)))
}
