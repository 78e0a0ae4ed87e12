import { and, asc, eq, sql } from 'drizzle-orm'
import { notFound } from '#shared/errors.ts'
import type { Database, Queries } from './client.ts'
import { once } from './once.ts'
import type { ServerRow, SiteRow } from './rows.ts'
import { servers, sites } from './schema.ts'

const serversById = once((read) =>
  read
    .select()
    .from(servers)
    .where(sql`${servers.id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare(),
)
const site = once((read) =>
  read
    .select()
    .from(sites)
    .where(
      and(eq(sites.id, sql.placeholder('id')), eq(sites.server_id, sql.placeholder('server_id'))),
    )
    .prepare(),
)

/** The targets of operations. Each throws 404 for a missing one. */
export async function getServer(db: Database, id: number): Promise<ServerRow> {
  const row = (await readTogether(db, id)).get(id)
  if (!row) throw notFound('Server')
  return row
}

type Servers = ReadonlyMap<number, ServerRow>

/** The servers that are about to be read. */
const waiting = new WeakMap<Queries, { ids: Set<number>; rows: Promise<Servers> }>()

/** Servers are contacted many at a time: those that are wanted in one moment are read with one statement. */
function readTogether(db: Database, id: number): Promise<Servers> {
  const { read } = db
  const known = waiting.get(read)
  if (known) {
    known.ids.add(id)
    return known.rows
  }
  const ids = new Set([id])
  const rows = Promise.resolve().then(async () => {
    waiting.delete(read)
    const found = await serversById(db).all({ ids: JSON.stringify([...ids]) })
    return new Map(found.map((row) => [row.id, row]))
  })
  waiting.set(read, { ids, rows })
  return rows
}

/** 404 also for a site of another server. */
export async function getSite(db: Database, server_id: number, id: number): Promise<SiteRow> {
  const row = await site(db).get({ id, server_id })
  if (!row) throw notFound('Site')
  return row
}

/** A site of any server; 404 for a missing one. */
export async function getSiteById(db: Database, id: number): Promise<SiteRow> {
  const row = await db.read.select().from(sites).where(eq(sites.id, id)).get()
  if (!row) throw notFound('Site')
  return row
}

export async function listServerIds(db: Database): Promise<number[]> {
  const rows = await db.read.select({ id: servers.id }).from(servers).orderBy(asc(servers.id))
  return rows.map(({ id }) => id)
}
