import { and, eq, isNotNull, isNull, notExists, sql } from 'drizzle-orm'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { people } from '#dashboard/kernel/db/access-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { users } from '#dashboard/kernel/db/schema.ts'

export const listPersonUsers = (db: Database) =>
  db.read.select({ person_id: people.id, user_id: people.user_id }).from(people)

/** Lists the people who have an account. */
export const listPersonNames = (db: Database) =>
  db.read
    .select({ person_id: people.id, name: people.name, user_id: people.user_id })
    .from(people)
    .where(isNotNull(people.user_id))

const MAX_NAME = 64

/** Makes a person for each account of one in use that has none, such as the first one. */
export async function makePeopleOfAccounts(
  { db, marks }: MarkedRecords,
  created_at: string,
): Promise<void> {
  const owned = db.read.select({ one: sql`1` }).from(people).where(eq(people.user_id, users.id))
  const found = await db.read
    .select()
    .from(users)
    .where(and(isNull(users.deactivated_at), eq(users.kind, 'person'), notExists(owned)))
  for (const user of found.filter((row) => marks.fits('users', row))) {
    const name = await freeName(db, user.name)
    const values = { name, created_at, user_id: user.id }
    // Another dashboard may be faster.
    await db.write((queries) => queries.insert(people).values(values).onConflictDoNothing())
  }
}

/** Returns the name, or with a number behind it if somebody has it. */
export async function freeName(db: Database, name: string): Promise<string> {
  const names = new Set(
    (await db.read.select({ name: people.name }).from(people)).map((row) => row.name),
  )
  const numbered = (number: number) => `${name.slice(0, MAX_NAME - 8)} (${number})`
  let free = name.slice(0, MAX_NAME)
  for (let number = 2; names.has(free); number++) free = numbered(number)
  return free
}
