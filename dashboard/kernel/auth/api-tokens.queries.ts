import { and, desc, eq, getTableColumns, gt } from 'drizzle-orm'
import { api_tokens } from '#dashboard/kernel/db/auth-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, users } from '#dashboard/kernel/db/schema.ts'
import type { ApiToken, User } from '#shared/kernel/api/auth.ts'
import { admits, type MarkedRecords, publicUser } from './queries.ts'

const { user_id: _, hash: __, mark: ___, ...token } = getTableColumns(api_tokens)

export function listApiTokens(db: Database, user_id: number): Promise<ApiToken[]> {
  return db.read
    .select(token)
    .from(api_tokens)
    .where(eq(api_tokens.user_id, user_id))
    .orderBy(desc(api_tokens.id))
}

export async function insertApiToken(
  { db, marks }: MarkedRecords,
  values: CoveredColumns<'api_tokens'>,
  entry: NewActivity,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.insert(api_tokens).values({ ...values, mark: marks.of('api_tokens', values) }),
    queries.insert(activities).values(entry),
  ])
}

/** Returns undefined for a token that was changed outside of the dashboard, or whose user admits nobody. */
export async function findApiToken(
  { db, marks }: MarkedRecords,
  hash: string,
): Promise<{ token: ApiToken; user: User } | undefined> {
  const found = await db.read
    .select({ token: getTableColumns(api_tokens), user: getTableColumns(users) })
    .from(api_tokens)
    .innerJoin(users, eq(users.id, api_tokens.user_id))
    .where(eq(api_tokens.hash, hash))
    .get()
  if (!found || !marks.fits('api_tokens', found.token) || !admits(marks, found.user)) {
    return undefined
  }
  const { user_id: _, hash: __, mark: ___, ...token } = found.token
  return { token, user: publicUser(found.user) }
}

/** Whether a token that was admitted before has not ended. */
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

/** Deletes a token. Returns false when the user has no such token. */
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
