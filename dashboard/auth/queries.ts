import { and, count, desc, eq, getTableColumns, gt, ne, sql } from 'drizzle-orm'
import { api_tokens, sessions } from '#dashboard/db/auth-schema.ts'
import { type Database, writeAll } from '#dashboard/db/client.ts'
import { keptRows } from '#dashboard/db/kept.ts'
import { once } from '#dashboard/db/once.ts'
import type { NewActivity, UserRow } from '#dashboard/db/rows.ts'
import { activities, users } from '#dashboard/db/schema.ts'
import type { ApiToken, User } from '#shared/api/auth.ts'

const user = { id: users.id, email: users.email, name: users.name }

export async function hasUsers(db: Database): Promise<boolean> {
  const row = await db.read.select({ total: count() }).from(users).get()
  return (row?.total ?? 0) > 0
}

/** False if one with this address exists: another process was faster. */
export async function insertUser(db: Database, values: Omit<UserRow, 'id'>): Promise<boolean> {
  const rows = await db.write((queries) =>
    queries.insert(users).values(values).onConflictDoNothing().returning({ id: users.id }),
  )
  return rows.length > 0
}

/** `email` in lower case, as it is stored. */
export function findUserByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  return db.read.select().from(users).where(eq(users.email, email)).get()
}

export function findUser(db: Database, id: number): Promise<UserRow | undefined> {
  return db.read.select().from(users).where(eq(users.id, id)).get()
}

export async function insertSession(
  db: Database,
  session: typeof sessions.$inferInsert,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.insert(sessions).values(session),
    queries.insert(activities).values(entry),
  ])
}

const session = once((read) =>
  read
    .select({ user, renewed_at: sessions.renewed_at, expires_at: sessions.expires_at })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(eq(sessions.jti, sql.placeholder('jti')))
    .prepare(),
)

/** Read once until the records change: each request asks for it. */
export const findSession = keptRows((db: Database, jti: string) => session(db).get({ jti }))

/** False if another request renewed it meanwhile, or it was ended. */
export async function renewSession(
  db: Database,
  jti: string,
  before: string,
  values: { renewed_at: string; expires_at: string },
): Promise<boolean> {
  const rows = await db.write((queries) =>
    queries
      .update(sessions)
      .set(values)
      .where(and(eq(sessions.jti, jti), eq(sessions.renewed_at, before)))
      .returning({ jti: sessions.jti }),
  )
  return rows.length > 0
}

/** When the owner of a session last gave the password; null for a session of an older version. */
export async function findConfirmation(db: Database, jti: string): Promise<string | null> {
  const { confirmed_at } = sessions
  const row = await db.read
    .select({ confirmed_at })
    .from(sessions)
    .where(eq(sessions.jti, jti))
    .get()
  return row?.confirmed_at ?? null
}

export async function confirmSession(
  db: Database,
  jti: string,
  confirmed_at: string,
): Promise<void> {
  await db.write((queries) =>
    queries.update(sessions).set({ confirmed_at }).where(eq(sessions.jti, jti)),
  )
}

export async function deleteSession(db: Database, jti: string, entry: NewActivity): Promise<void> {
  await writeAll(db, (queries) => [
    queries.delete(sessions).where(eq(sessions.jti, jti)),
    queries.insert(activities).values(entry),
  ])
}

/** Ends every session and every API token of the user. */
export async function deleteAccess(
  db: Database,
  user_id: number,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.delete(sessions).where(eq(sessions.user_id, user_id)),
    queries.delete(api_tokens).where(eq(api_tokens.user_id, user_id)),
    queries.insert(activities).values(entry),
  ])
}

interface NewPassword {
  user_id: number
  password_hash: string
  /** The kept session; all others of the user end. */
  keep: string
  /** Whether every API token of the user ends too. */
  end_tokens: boolean
}

export async function updatePassword(
  db: Database,
  { user_id, password_hash, keep, end_tokens }: NewPassword,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.update(users).set({ password_hash }).where(eq(users.id, user_id)),
    queries.delete(sessions).where(and(eq(sessions.user_id, user_id), ne(sessions.jti, keep))),
    ...(end_tokens ? [queries.delete(api_tokens).where(eq(api_tokens.user_id, user_id))] : []),
    queries.insert(activities).values(entry),
  ])
}

const { user_id: _, hash: __, ...token } = getTableColumns(api_tokens)

export function listApiTokens(db: Database, user_id: number): Promise<ApiToken[]> {
  return db.read
    .select(token)
    .from(api_tokens)
    .where(eq(api_tokens.user_id, user_id))
    .orderBy(desc(api_tokens.id))
}

export async function insertApiToken(
  db: Database,
  values: typeof api_tokens.$inferInsert,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.insert(api_tokens).values(values),
    queries.insert(activities).values(entry),
  ])
}

export function findApiToken(
  db: Database,
  hash: string,
): Promise<{ token: ApiToken; user: User } | undefined> {
  return db.read
    .select({ token, user })
    .from(api_tokens)
    .innerJoin(users, eq(users.id, api_tokens.user_id))
    .where(eq(api_tokens.hash, hash))
    .get()
}

/** False for one that has expired at `now` too. */
export async function hasApiToken(db: Database, id: number, now: string): Promise<boolean> {
  const { id: column, expires_at } = api_tokens
  const valid = and(eq(column, id), gt(expires_at, now))
  const row = await db.read.select({ id: column }).from(api_tokens).where(valid).get()
  return row !== undefined
}

export async function touchApiToken(db: Database, id: number, last_used_at: string): Promise<void> {
  await db.write((queries) =>
    queries.update(api_tokens).set({ last_used_at }).where(eq(api_tokens.id, id)),
  )
}

/** False when the user has no such token. */
export async function deleteApiToken(
  db: Database,
  user_id: number,
  id: number,
  entry: NewActivity,
): Promise<boolean> {
  const mine = and(eq(api_tokens.id, id), eq(api_tokens.user_id, user_id))
  const found = await db.read.select({ id: api_tokens.id }).from(api_tokens).where(mine).get()
  if (!found) return false
  await writeAll(db, (queries) => [
    queries.delete(api_tokens).where(mine),
    queries.insert(activities).values(entry),
  ])
  return true
}
