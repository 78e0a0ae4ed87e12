import { and, desc, eq, isNull, ne } from 'drizzle-orm'
import { passkeys, sessions, user_factors } from '#dashboard/kernel/db/auth-schema.ts'
import { type Queries, type Statement, writeAll } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns, MarkedRow } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity, UserRow } from '#dashboard/kernel/db/rows.ts'
import { activities, users } from '#dashboard/kernel/db/schema.ts'
import { type MarkedRecords, whileUnchanged } from './queries.ts'

export type FactorRow = MarkedRow<'user_factors'>

/** Returns the factor that a login of the user needs; undefined for one that was tampered with. */
export async function findFactor(
  { db, marks }: MarkedRecords,
  { id, factor_id }: Pick<UserRow, 'id' | 'factor_id'>,
): Promise<FactorRow | undefined> {
  const mine = and(eq(user_factors.id, factor_id), eq(user_factors.user_id, id))
  const row = await db.read.select().from(user_factors).where(mine).get()
  return row && row.confirmed_at !== null && marks.fits('user_factors', row) ? row : undefined
}

const unconfirmed = (user_id: number) =>
  and(
    eq(user_factors.user_id, user_id),
    isNull(user_factors.confirmed_at),
    isNull(user_factors.reset_at),
  )

/** Returns the factor that the user has begun to set up. */
export async function findUnconfirmed(
  { db, marks }: MarkedRecords,
  user_id: number,
): Promise<FactorRow | undefined> {
  const newest = desc(user_factors.created_at)
  const rows = db.read.select().from(user_factors).where(unconfirmed(user_id)).orderBy(newest)
  const row = await rows.get()
  return row && marks.fits('user_factors', row) ? row : undefined
}

/** Inserts a factor in the place of another one that was not confirmed. */
export async function insertUnconfirmed(
  { db, marks }: MarkedRecords,
  factor: CoveredColumns<'user_factors'>,
): Promise<void> {
  await writeAll(db, (queries) => [
    queries.delete(user_factors).where(unconfirmed(factor.user_id)),
    insertion(queries, { marks }, factor),
  ])
}

const insertion = (
  queries: Queries,
  { marks }: Pick<MarkedRecords, 'marks'>,
  factor: CoveredColumns<'user_factors'>,
): Statement =>
  queries.insert(user_factors).values({ ...factor, mark: marks.of('user_factors', factor) })

/**
 * Updates a factor, so that of two requests with one code, one succeeds. Returns false, after no
 * change, if another request changed it meanwhile.
 */
export async function updateFactor(
  { db, marks }: MarkedRecords,
  before: FactorRow,
  values: Partial<Pick<FactorRow, 'last_step' | 'recovery_codes'>>,
): Promise<boolean> {
  const mark = marks.of('user_factors', { ...before, ...values })
  const rows = await db.write((queries) =>
    queries
      .update(user_factors)
      .set({ ...values, mark })
      .where(and(eq(user_factors.id, before.id), eq(user_factors.mark, before.mark)))
      .returning({ id: user_factors.id }),
  )
  return rows.length > 0
}

/** Replaces the recovery codes. Returns false if the user or the factor was changed meanwhile. */
export function updateRecoveryCodes(
  { db, marks }: MarkedRecords,
  { user, factor, recovery_codes }: { user: UserRow; factor: FactorRow; recovery_codes: string },
  entry: NewActivity,
): Promise<boolean> {
  const mark = marks.of('user_factors', { ...factor, recovery_codes })
  return whileUnchanged(db, { user, factor }, (queries) => [
    queries
      .update(user_factors)
      .set({ recovery_codes, mark })
      .where(eq(user_factors.id, factor.id)),
    queries.insert(activities).values(entry),
  ])
}

interface FactorChange {
  /** The user as it was read. */
  user: UserRow
  /** The factor that a login needs from now on; empty for none. */
  factor_id: string
  /** The row that replaces those of the user. */
  row?: CoveredColumns<'user_factors'>
  /** The session that is kept; all others of the user end. */
  keep?: string
  /** Whether the passkeys are removed too. */
  ends_passkeys?: boolean
}

/** Changes the factor of a user. Returns false if the user was changed meanwhile. */
export function changeFactor(
  { db, marks }: MarkedRecords,
  { user, factor_id, row, keep = '', ends_passkeys = false }: FactorChange,
  entry: NewActivity,
): Promise<boolean> {
  const changed = { factor_id, ...(ends_passkeys && { passkeys: 0 }) }
  const mark = marks.of('users', { ...user, ...changed })
  return whileUnchanged(db, { user }, (queries) => [
    queries
      .update(users)
      .set({ ...changed, mark })
      .where(eq(users.id, user.id)),
    ...(ends_passkeys ? [queries.delete(passkeys).where(eq(passkeys.user_id, user.id))] : []),
    queries.delete(user_factors).where(eq(user_factors.user_id, user.id)),
    ...(row ? [insertion(queries, { marks }, row)] : []),
    queries.delete(sessions).where(and(eq(sessions.user_id, user.id), ne(sessions.jti, keep))),
    queries.insert(activities).values(entry),
  ])
}
