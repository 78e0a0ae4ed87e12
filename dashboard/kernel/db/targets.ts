import { and, asc, eq, sql } from 'drizzle-orm'
import { notFound } from '#shared/kernel/errors.ts'
import type { Database } from './client.ts'
import { batchedRead, preparedQuery } from './prepared-query.ts'
import type { ServerRow, SiteRow } from './rows.ts'
import { servers, sites } from './schema.ts'

const serversById = preparedQuery((read) =>
  read
    .select()
    .from(servers)
    .where(sql`${servers.id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare(),
)
const site = preparedQuery((read) =>
  read
    .select()
    .from(sites)
    .where(
      and(eq(sites.id, sql.placeholder('id')), eq(sites.server_id, sql.placeholder('server_id'))),
    )
    .prepare(),
)

const findServer = batchedRead(
  (db, ids) => serversById(db).all({ ids }),
  ({ id }) => id,
)

/** Returns the server of an operation. Throws 404 for a missing one. */
export async function getServer(db: Database, id: number): Promise<ServerRow> {
  const row = await findServer(db, id)
  if (!row) throw notFound('Server')
  return row
}

/** Returns a site of a server. Throws 404 for a missing one, and for one of another server. */
export async function getSite(db: Database, server_id: number, id: number): Promise<SiteRow> {
  const row = await site(db).get({ id, server_id })
  if (!row) throw notFound('Site')
  return row
}

/** Returns a site of any server. Throws 404 for a missing one. */
export async function getSiteById(db: Database, id: number): Promise<SiteRow> {
  const row = await db.read.select().from(sites).where(eq(sites.id, id)).get()
  if (!row) throw notFound('Site')
  return row
}

export async function listServerIds(db: Database): Promise<number[]> {
  const rows = await db.read.select({ id: servers.id }).from(servers).orderBy(asc(servers.id))
  return rows.map(({ id }) => id)
}
