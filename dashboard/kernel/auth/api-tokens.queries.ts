import { and, desc, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import { api_tokens, token_addresses } from '#dashboard/kernel/db/auth-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns } from '#dashboard/kernel/db/marks.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, users } from '#dashboard/kernel/db/schema.ts'
import type { ApiToken, User } from '#shared/kernel/api/auth.ts'
import { admits, type MarkedRecords, publicUser } from './queries.ts'

/** The maximum number of addresses that are remembered of a token. */
const MAX_ADDRESSES = 100

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

const knownAddress = preparedQuery((read) =>
  read
    .select({ address: token_addresses.address })
    .from(token_addresses)
    .where(
      and(
        eq(token_addresses.token_id, sql.placeholder('token_id')),
        eq(token_addresses.address, sql.placeholder('address')),
      ),
    )
    .prepare(),
)

/** Records the first use of a token from an address, with its entry; does nothing for later ones. */
export async function recordFirstUse(
  db: Database,
  use: typeof token_addresses.$inferInsert,
  entry: NewActivity,
): Promise<void> {
  if (await knownAddress(db).get({ token_id: use.token_id, address: use.address })) return
  const isFirst = sql`not exists (select 1 from token_addresses
    where token_id = ${use.token_id} and address = ${use.address})`
  const { token_id, address } = token_addresses
  const oldest = sql`select address from token_addresses where token_id = ${use.token_id}
    order by first_at desc, address limit -1 offset ${MAX_ADDRESSES}`
  await writeIf(db, isFirst, entry, (queries) => [
    queries.insert(token_addresses).values(use),
    queries
      .delete(token_addresses)
      .where(and(eq(token_id, use.token_id), sql`${address} in (${oldest})`)),
  ])
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
