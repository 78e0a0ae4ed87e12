import { and, asc, count, eq, gte, inArray, like, or } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, operations, servers, settings, sites } from '#dashboard/kernel/db/schema.ts'
import { AgentOperation } from '#shared/kernel/agent-operations.ts'
import { MAX_RESTORED_SITES } from '#shared/recovery/api/restored.ts'

const KEY = 'restored'
const SERVER_KEY = 'restored_server_'

const Times = z.object({ made_at: z.string(), restored_at: z.string() })
type RestoredTimes = z.infer<typeof Times>

/** The report of one agent of the time since the backup; null when it has none. */
const Reading = z.object({ operations: z.array(AgentOperation), total: z.number() }).nullable()
export type Reading = z.infer<typeof Reading>

/** Returns the times of a restore of the records; undefined without one, or confirmed. */
export async function findRestored(db: Database): Promise<RestoredTimes | undefined> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, KEY))
  return Times.safeParse(row?.value).data
}

export async function setRestored(db: Database, value: RestoredTimes): Promise<void> {
  await deleteReadings(db)
  await db.write((queries) =>
    queries
      .insert(settings)
      .values({ key: KEY, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
  )
}

export async function deleteRestored(db: Database, entry: NewActivity): Promise<void> {
  await deleteReadings(db)
  await db.write((queries) =>
    queries.batch([
      queries.delete(settings).where(eq(settings.key, KEY)),
      queries.insert(activities).values(entry),
    ]),
  )
}

const deleteReadings = (db: Database) =>
  db.write((queries) => queries.delete(settings).where(like(settings.key, `${SERVER_KEY}%`)))

export async function hasReading(db: Database, server_id: number): Promise<boolean> {
  const key = `${SERVER_KEY}${server_id}`
  const rows = await db.read
    .select({ key: settings.key })
    .from(settings)
    .where(eq(settings.key, key))
  return rows.length > 0
}

export async function putReading(db: Database, server_id: number, value: Reading): Promise<void> {
  const row = { key: `${SERVER_KEY}${server_id}`, value: { reading: value } }
  await db.write((queries) => queries.insert(settings).values(row).onConflictDoNothing())
}

export async function listReadings(db: Database): Promise<Map<number, Reading>> {
  const rows = await db.read
    .select()
    .from(settings)
    .where(like(settings.key, `${SERVER_KEY}%`))
  return new Map(
    rows.flatMap(({ key, value }) => {
      const { data } = z.object({ reading: Reading }).safeParse(value)
      return data ? [[Number(key.slice(SERVER_KEY.length)), data.reading] as const] : []
    }),
  )
}

export async function listKnownIds(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.read
    .select({ id: operations.id })
    .from(operations)
    .where(inArray(operations.id, [...ids]))
  return new Set(rows.map(({ id }) => id))
}

export const listRestoredServers = (db: Database) =>
  db.read
    .select({ id: servers.id, name: servers.name, reason: servers.last_error })
    .from(servers)
    .orderBy(asc(servers.name))

/** Lists the sites that a sync has recorded since, and those that their servers do not have. */
export async function listRestoredSites(db: Database, restored_at: string) {
  const { id: site_id, server_id, domain, managed, found, status, created_at } = sites
  const where = or(
    and(eq(managed, false), gte(created_at, restored_at)),
    and(eq(found, false), eq(status, 'missing')),
  )
  const [counted] = await db.read.select({ total: count() }).from(sites).where(where)
  const rows = await db.read
    .select({ site_id, server_id, domain, found, status })
    .from(sites)
    .where(where)
    .orderBy(asc(domain), asc(site_id))
    .limit(MAX_RESTORED_SITES)
  return { rows, total: counted?.total ?? 0 }
}
