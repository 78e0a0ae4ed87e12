import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { CHANGES_SITE } from '#dashboard/kernel/db/exclusion.ts'
import { operations } from '#dashboard/kernel/db/schema.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Throws 409 while an operation changes the site, for calls without their own operation. */
export async function refuseWhileBusy(db: Database, site_id: number): Promise<void> {
  const changesSite = sql.raw(CHANGES_SITE)
  if (await findBusy(db, and(eq(operations.site_id, site_id), changesSite)))
    throw conflict('Another operation of the site is running')
}

/** Throws 409 while an operation waits or runs on the server; a sync may be interrupted. */
export async function refuseWhileServerBusy(db: Database, server_id: number): Promise<void> {
  const { server_id: home, type } = operations
  const busy = await findBusy(db, and(eq(home, server_id), ne(type, 'server.sync')))
  if (busy) throw conflict(`An operation of the server is running: ${busy.type}`)
}

function findBusy(db: Database, holder: SQL | undefined) {
  return db.read
    .select({ type: operations.type })
    .from(operations)
    .where(and(holder, inArray(operations.status, ['queued', 'running'])))
    .get()
}
