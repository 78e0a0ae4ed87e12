import { and, count, desc, eq, getTableColumns, isNotNull, isNull, sql } from 'drizzle-orm'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import { enrolments, server_agents, signing_keys } from '#dashboard/kernel/db/trust-schema.ts'

export type KeyRow = typeof signing_keys.$inferSelect

/** Lists the keys, the current one first. */
export function listKeys(db: Database): Promise<KeyRow[]> {
  const { until, created_at } = signing_keys
  return db.read
    .select()
    .from(signing_keys)
    .orderBy(desc(isNull(until)), desc(created_at))
}

/** Lists the keys in that order, each with the number of agents for which it is the newest. */
export function countKeys(db: Database) {
  const { until, created_at, kid } = signing_keys
  return db.read
    .select({ ...getTableColumns(signing_keys), agents: count(server_agents.server_id) })
    .from(signing_keys)
    .leftJoin(server_agents, eq(server_agents.kid, kid))
    .groupBy(kid)
    .orderBy(desc(isNull(until)), desc(created_at))
}

export function findCurrentKey(db: Database): Promise<KeyRow | undefined> {
  return db.read.select().from(signing_keys).where(isNull(signing_keys.until)).get()
}

export function findKey(db: Database, kid: string): Promise<KeyRow | undefined> {
  return db.read.select().from(signing_keys).where(eq(signing_keys.kid, kid)).get()
}

/** Inserts the first key, once: two dashboards may start at the same time. */
export async function insertFirstKey(db: Database, values: KeyRow): Promise<void> {
  await db.write((queries) => queries.insert(signing_keys).values(values).onConflictDoNothing())
}

/** Replaces the key; the previous one is valid until `until`. */
export async function replaceKey(db: Database, key: KeyRow, until: string, entry: NewActivity) {
  await writeAll(db, (queries) => [
    queries.update(signing_keys).set({ until }).where(isNull(signing_keys.until)),
    queries.insert(signing_keys).values(key),
    queries.insert(activities).values(entry),
  ])
}

/** Records the newest key that an agent is known to accept. */
export async function confirmKey(db: Database, server_id: number, kid: string): Promise<void> {
  const same = eq(server_agents.server_id, server_id)
  await db.write((queries) => queries.update(server_agents).set({ kid }).where(same))
}

export async function listEnrolledIds(db: Database): Promise<number[]> {
  const rows = await db.read.select({ id: server_agents.server_id }).from(server_agents)
  return rows.map(({ id }) => id)
}

/** Removes old keys that no agent and no open enrolment needs, and returns them. */
export async function deleteUnneeded(db: Database, now: string): Promise<void> {
  const { kid } = signing_keys
  const unneeded = and(
    isNotNull(signing_keys.until),
    sql`not exists (select 1 from ${server_agents} where ${server_agents.kid} = ${kid})`,
    sql`not exists (select 1 from ${enrolments} where ${enrolments.kid} = ${kid} and ${enrolments.expires_at} > ${now})`,
  )
  const some = await db.read.select({ kid }).from(signing_keys).where(unneeded).limit(1)
  if (some.length === 0) return
  await writeAll(db, (queries) => [
    queries.run(sql`
        insert into activities (type, domain, status, created_at)
        select 'key.retire', '', 'success', ${now} from ${signing_keys} where ${unneeded}`),
    queries.delete(signing_keys).where(unneeded),
  ])
}
