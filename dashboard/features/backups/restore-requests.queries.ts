import { asc, eq, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import { backups, restore_requests } from '#dashboard/kernel/db/backup-schema.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { sites, users } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'

const REQUEST = {
  at: restore_requests.requested_at,
  by: users.name,
  email: users.email,
  note: restore_requests.note,
  backup_id: restore_requests.backup_id,
  backup_at: backups.at,
}

/** Returns the open request to restore a site; undefined without one. */
export const findRestoreRequest = (db: Database, site_id: number) =>
  db.read
    .select(REQUEST)
    .from(restore_requests)
    .innerJoin(users, eq(users.id, restore_requests.user_id))
    .leftJoin(backups, eq(backups.id, restore_requests.backup_id))
    .where(eq(restore_requests.site_id, site_id))
    .get()

/** Lists the open requests for visible sites, the oldest first, each with the number of all. */
export const listRestoreRequests = (db: Database, visible: Visible | undefined, limit: number) =>
  db.read
    .select({
      ...REQUEST,
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      total: sql<number>`count(*) over ()`,
    })
    .from(restore_requests)
    .innerJoin(sites, eq(sites.id, restore_requests.site_id))
    .innerJoin(users, eq(users.id, restore_requests.user_id))
    .leftJoin(backups, eq(backups.id, restore_requests.backup_id))
    .where(isVisibleSite(visible))
    .orderBy(asc(restore_requests.requested_at))
    .limit(limit)

/** Stores a request with its entry. Returns false when the site has an open one. */
export const insertRestoreRequest = (
  db: Database,
  values: typeof restore_requests.$inferSelect,
  entry: NewActivity,
): Promise<boolean> =>
  writeIf(db, sql`not ${isOpen(values.site_id)}`, entry, (queries) => [
    queries.insert(restore_requests).values(values),
  ])

/** Deletes a request with the entry. Returns false without one. */
export const dismissRestoreRequest = (
  db: Database,
  site_id: number,
  entry: NewActivity,
): Promise<boolean> =>
  writeIf(db, isOpen(site_id), entry, (queries) => [endedRequest(queries, site_id)])

export const endedRequest = (queries: Queries, site_id: number): Statement =>
  queries.delete(restore_requests).where(eq(restore_requests.site_id, site_id))

const isOpen = (site_id: number) =>
  sql`exists (select 1 from restore_requests where site_id = ${site_id})`
