import { and, asc, eq } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Database } from './client.ts'
import type { ServerRow, SiteRow } from './rows.ts'
import { servers, sites } from './schema.ts'

/** The targets of operations. Each throws 404 for a missing one. */
export async function getServer(db: Database, id: number): Promise<ServerRow> {
  const row = await db.read.select().from(servers).where(eq(servers.id, id)).get()
  if (!row) throw notFound('Server')
  return row
}

/** 404 also for a site of another server. */
export async function getSite(db: Database, server_id: number, id: number): Promise<SiteRow> {
  const mine = and(eq(sites.id, id), eq(sites.server_id, server_id))
  const row = await db.read.select().from(sites).where(mine).get()
  if (!row) throw notFound('Site')
  return row
}

export async function listServerIds(db: Database): Promise<number[]> {
  const rows = await db.read.select({ id: servers.id }).from(servers).orderBy(asc(servers.id))
  return rows.map(({ id }) => id)
}
