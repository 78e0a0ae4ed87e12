import { and, count, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import {
  activities,
  bulk_operations,
  operations,
  servers,
  users,
} from '#dashboard/kernel/db/schema.ts'
import { violatesNotNull } from '#dashboard/kernel/db/violations.ts'
import { isOnVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import type {
  Activity,
  ActivityQuery,
  FleetActivity,
  FleetActivityQuery,
} from '#shared/kernel/api/activity.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'

/** Inserts an entry in the batch with the change that it describes. */
export function activityStatement(queries: Queries, entry: NewActivity): Statement {
  return queries.insert(activities).values(entry)
}

export async function recordActivity(db: Database, entry: NewActivity): Promise<void> {
  await db.write((queries) => queries.insert(activities).values(entry))
}

/**
 * Writes the statements with the entry that describes them, all or none. Returns false, and writes
 * nothing, unless the condition holds in the same transaction.
 */
export async function writeIf(
  db: Database,
  condition: SQL,
  entry: NewActivity,
  statements: (queries: Queries) => readonly Statement[],
): Promise<boolean> {
  // A condition that does not hold breaks a constraint, which undoes the whole batch.
  const type = sql<string>`(case when ${condition} then ${entry.type} else null end)`
  try {
    await writeAll(db, (queries) => [
      queries.insert(activities).values({ ...entry, type }),
      ...statements(queries),
    ])
    return true
  } catch (error) {
    if (violatesNotNull(error, 'activities.type')) return false
    throw error
  }
}

/**
 * The condition for an entry of what is visible: of a server as a whole, or of an operation on a
 * visible site. An entry without a server is about the dashboard itself.
 */
const isVisibleActivity = (visible: Visible | undefined): SQL | undefined =>
  isOnVisibleSite(visible, {
    server_id: activities.server_id,
    site_id: sql`(select operations.site_id from operations
      where operations.id = ${activities.operation_id})`,
  })

/** Lists the activities, newest first; `total` counts all that match the filters. */
export async function listActivities(
  db: Database,
  query: ActivityQuery,
  visible?: Visible,
): Promise<{ activities: Activity[]; total: number }> {
  const matching = and(filters(query), isVisibleActivity(visible))
  const { id, type, domain, status, created_at } = activities
  const [rows, [counted]] = await db.read.batch([
    db.read
      .select({ id, type, domain, status, created_at })
      .from(activities)
      .where(matching)
      .orderBy(desc(id))
      .limit(query.limit),
    db.read.select({ total: count() }).from(activities).where(matching),
  ])
  return { activities: rows, total: counted?.total ?? 0 }
}

/** Lists the activities with user and target, if they still exist. */
export async function listFleetActivities(
  db: Database,
  query: FleetActivityQuery,
  visible?: Visible,
): Promise<{ activities: FleetActivity[]; total: number }> {
  const matching = and(filters(query), sourceFilters(query), isVisibleActivity(visible))
  const { id, type, domain, status, created_at } = activities
  const site_id = sql<number | null>`(select sites.id from sites
    where sites.server_id = ${activities.server_id} and sites.domain = ${domain})`
  const [rows, [counted]] = await db.read.batch([
    db.read
      .select({
        id,
        type,
        domain,
        status,
        created_at,
        site_id,
        actor: users.email,
        token: activities.token,
        address: activities.address,
        via: activities.via,
        server_id: servers.id,
        server: servers.name,
        operation_id: operations.id,
        bulk_id: bulk_operations.id,
        detail: activities.detail,
      })
      .from(activities)
      .leftJoin(users, eq(users.id, activities.user_id))
      .leftJoin(servers, eq(servers.id, activities.server_id))
      .leftJoin(operations, eq(operations.id, activities.operation_id))
      .leftJoin(bulk_operations, eq(bulk_operations.id, activities.operation_id))
      .where(matching)
      .orderBy(desc(id))
      .limit(query.limit),
    db.read.select({ total: count() }).from(activities).where(matching),
  ])
  return { activities: rows, total: counted?.total ?? 0 }
}

function filters({ before, type, status, domain, server_id }: ActivityQuery) {
  return and(
    before === undefined ? undefined : lt(activities.id, before),
    type === undefined ? undefined : eq(activities.type, type),
    status === undefined ? undefined : eq(activities.status, status),
    domain === undefined ? undefined : eq(activities.domain, canonicalDomain(domain) ?? domain),
    server_id === undefined ? undefined : eq(activities.server_id, server_id),
  )
}

function sourceFilters({ user, via, address, since, until }: FleetActivityQuery) {
  const named = sql`${activities.user_id} in (select id from users where email = ${user})`
  return and(
    user === undefined ? undefined : named,
    via === undefined ? undefined : eq(activities.via, via),
    address === undefined ? undefined : eq(activities.address, address),
    since === undefined ? undefined : gte(activities.created_at, since),
    until === undefined ? undefined : lt(activities.created_at, until),
  )
}
