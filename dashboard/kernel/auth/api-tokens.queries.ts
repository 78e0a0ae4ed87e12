import { and, desc, eq, getTableColumns, gt, inArray, isNull, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import { api_tokens, token_addresses } from '#dashboard/kernel/db/auth-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns } from '#dashboard/kernel/db/marks.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import type { User } from '#shared/kernel/api/auth.ts'
import {
  isInUse,
  isOpen,
  isSameUser,
  type MarkedRecords,
  publicUser,
  type WriteCondition,
} from './queries.ts'

/** The maximum number of addresses that are remembered of a token. */
const MAX_ADDRESSES = 100

export type TokenRow = typeof api_tokens.$inferSelect

/** Lists the tokens of accounts, the newest first, without those that others wrote. */
export async function listTokenRows(
  { db, marks }: MarkedRecords,
  user_ids: readonly number[],
): Promise<TokenRow[]> {
  const rows = await db.read
    .select()
    .from(api_tokens)
    .where(inArray(api_tokens.user_id, [...user_ids]))
    .orderBy(desc(api_tokens.id))
  return rows.filter((row) => marks.fits('api_tokens', row))
}

/** Whether a user is as it was when the password was verified, in a session that has not ended. */
export const isConfirmedStill = (
  user: Parameters<typeof isSameUser>[0],
  session: string,
): WriteCondition => sql`${isSameUser(user)} and ${isOpen(session)}`

/** Stores a token with its entry. Returns undefined, after no change, unless the condition holds. */
export async function insertApiToken(
  { db, marks }: MarkedRecords,
  values: CoveredColumns<'api_tokens'>,
  entry: NewActivity,
  condition: WriteCondition = sql`true`,
): Promise<TokenRow | undefined> {
  const isStored = await writeIf(db, condition, entry, (queries) => [
    queries.insert(api_tokens).values({ ...values, mark: marks.of('api_tokens', values) }),
  ])
  if (!isStored) return undefined
  return db.read.select().from(api_tokens).where(eq(api_tokens.hash, values.hash)).get()
}

const byHash = preparedQuery((read) =>
  read
    .select({ token: getTableColumns(api_tokens), user: getTableColumns(users) })
    .from(api_tokens)
    .innerJoin(users, eq(users.id, api_tokens.user_id))
    .where(eq(api_tokens.hash, sql.placeholder('hash')))
    .prepare(),
)

/** Returns undefined for a token that was changed outside of the dashboard, or whose account is not in use. */
export async function findApiToken(
  { db, marks }: MarkedRecords,
  hash: string,
): Promise<{ token: TokenRow; user: User } | undefined> {
  const found = await byHash(db).get({ hash })
  if (!found || !marks.fits('api_tokens', found.token) || !isInUse(marks, found.user)) {
    return undefined
  }
  return { token: found.token, user: publicUser(found.user) }
}

/** Whether a token that was admitted before has not ended, and its account is in use. */
export async function hasApiToken(db: Database, id: number, now: string): Promise<boolean> {
  const { id: column, expires_at } = api_tokens
  const row = await db.read
    .select({ id: column })
    .from(api_tokens)
    .innerJoin(users, eq(users.id, api_tokens.user_id))
    .where(and(eq(column, id), gt(expires_at, now), isNull(users.deactivated_at)))
    .get()
  return row !== undefined
}

/** Notes a use; an empty address is unknown. */
export async function touchApiToken(
  db: Database,
  id: number,
  { last_used_at, address }: { last_used_at: string; address: string },
): Promise<void> {
  const last_address = address === '' ? null : address
  await db.write((queries) =>
    queries.update(api_tokens).set({ last_used_at, last_address }).where(eq(api_tokens.id, id)),
  )
}

/** The time in which refused uses of a token have one entry. */
const REFUSED_MS = 3600_000

/** Adds refused uses of a token, with an entry unless there is one of the last hour. */
export async function recordRefused(
  db: Database,
  { id, count, now }: { id: number; count: number; now: Date },
  entry: NewActivity,
): Promise<void> {
  const refused_at = now.toISOString()
  const hour = new Date(now.getTime() - REFUSED_MS).toISOString()
  const isDue = sql`exists (select 1 from api_tokens where id = ${id}
    and (refused_at is null or refused_at <= ${hour} or refused_at > ${refused_at}))`
  const refused = sql`${api_tokens.refused} + ${count}`
  const isRecorded = await writeIf(db, isDue, entry, (queries) => [
    queries.update(api_tokens).set({ refused, refused_at }).where(eq(api_tokens.id, id)),
  ])
  if (isRecorded) return
  await db.write((queries) =>
    queries.update(api_tokens).set({ refused }).where(eq(api_tokens.id, id)),
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

/** Deletes a token of an account. Returns false when it has no such token, or the condition fails. */
export function deleteApiToken(
  db: Database,
  { user_id, id }: Pick<TokenRow, 'user_id' | 'id'>,
  entry: NewActivity,
  condition: WriteCondition = sql`true`,
): Promise<boolean> {
  const exists = sql`exists (select 1 from api_tokens where id = ${id} and user_id = ${user_id})
    and ${condition}`
  return writeIf(db, exists, entry, (queries) => [
    queries.delete(api_tokens).where(and(eq(api_tokens.id, id), eq(api_tokens.user_id, user_id))),
  ])
}
