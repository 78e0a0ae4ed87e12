import { and, asc, eq, isNotNull, ne } from 'drizzle-orm'
import {
  passkeys,
  sessions,
  used_challenges,
  user_factors,
} from '#dashboard/kernel/db/auth-schema.ts'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity, UserRow } from '#dashboard/kernel/db/rows.ts'
import { activities, users } from '#dashboard/kernel/db/schema.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { ValidChallenge } from './challenges.ts'
import { isOpen, type MarkedRecords, whileUnchanged } from './queries.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

/** Lists the passkeys of a user, oldest first, without those that were tampered with. */
export async function listPasskeys(
  { db, marks }: MarkedRecords,
  user_id: number,
): Promise<PasskeyRow[]> {
  const rows = await db.read
    .select()
    .from(passkeys)
    .where(eq(passkeys.user_id, user_id))
    .orderBy(asc(passkeys.created_at), asc(passkeys.id))
  return rows.filter((row) => marks.fits('passkeys', row))
}

/** Returns undefined for an unknown passkey, or one that was tampered with. */
export async function findPasskey(
  { db, marks }: MarkedRecords,
  credential_id: string,
): Promise<PasskeyRow | undefined> {
  const isNamed = eq(passkeys.credential_id, credential_id)
  const row = await db.read.select().from(passkeys).where(isNamed).get()
  return row && marks.fits('passkeys', row) ? row : undefined
}

/** Gives the account a name at its authenticators. Returns false if the user was changed meanwhile. */
export function storeHandle(
  { db, marks }: MarkedRecords,
  user: UserRow,
  passkey_handle: string,
): Promise<boolean> {
  const mark = marks.of('users', { ...user, passkey_handle })
  return whileUnchanged(db, { user }, (queries) => [
    queries.update(users).set({ passkey_handle, mark }).where(eq(users.id, user.id)),
  ])
}

const useStatement = (queries: Queries, { hash, expires_at }: ValidChallenge): Statement =>
  queries.insert(used_challenges).values({ hash, expires_at })

const isUsed = (error: unknown) => violatesUnique(error, 'used_challenges.hash')

interface NewPasskey {
  /** The user as it was read. */
  user: UserRow
  passkey: CoveredColumns<'passkeys'>
  challenge: ValidChallenge
  /** The session of the change. */
  session: string
  /** Whether all other sessions of the user end. */
  ends_others: boolean
}

/**
 * Adds a passkey to an account. `changed`: the user was changed or the session ended meanwhile;
 * `used`: the challenge was used before; `known`: there is a passkey with this credential.
 */
export async function insertPasskey(
  { db, marks }: MarkedRecords,
  { user, passkey, challenge, session, ends_others }: NewPasskey,
  entry: NewActivity,
): Promise<'added' | 'changed' | 'used' | 'known'> {
  const count = user.passkeys + 1
  const mark = marks.of('users', { ...user, passkeys: count })
  try {
    const isAdded = await whileUnchanged(db, { user, holds: isOpen(session) }, (queries) => [
      useStatement(queries, challenge),
      queries.insert(passkeys).values({ ...passkey, mark: marks.of('passkeys', passkey) }),
      queries.update(users).set({ passkeys: count, mark }).where(eq(users.id, user.id)),
      // What reports that a command has removed the second factor.
      queries
        .delete(user_factors)
        .where(and(eq(user_factors.user_id, user.id), isNotNull(user_factors.reset_at))),
      ...(ends_others ? [othersEnd(queries, user.id, session)] : []),
      queries.insert(activities).values(entry),
    ])
    return isAdded ? 'added' : 'changed'
  } catch (error) {
    if (isUsed(error)) return 'used'
    if (violatesUnique(error, 'passkeys.credential_id')) return 'known'
    throw error
  }
}

const othersEnd = (queries: Queries, user_id: number, keep: string): Statement =>
  queries.delete(sessions).where(and(eq(sessions.user_id, user_id), ne(sessions.jti, keep)))

/** Notes a use. Returns false if the passkey was changed meanwhile; `used`: the challenge was used. */
export async function storeUse(
  { db, marks }: MarkedRecords,
  passkey: PasskeyRow,
  values: Pick<PasskeyRow, 'counter' | 'backed_up'> & { last_used_at: string },
  challenge: ValidChallenge,
): Promise<'stored' | 'changed' | 'used'> {
  const mark = marks.of('passkeys', { ...passkey, ...values })
  try {
    const isStored = await whileUnchanged(db, { passkey }, (queries) => [
      useStatement(queries, challenge),
      queries
        .update(passkeys)
        .set({ ...values, mark })
        .where(eq(passkeys.id, passkey.id)),
    ])
    return isStored ? 'stored' : 'changed'
  } catch (error) {
    if (isUsed(error)) return 'used'
    throw error
  }
}

/** Renames a passkey. Returns false if it was changed meanwhile. */
export function updateName(
  { db, marks }: MarkedRecords,
  passkey: PasskeyRow,
  name: string,
  entry: NewActivity,
): Promise<boolean> {
  const mark = marks.of('passkeys', { ...passkey, name })
  return whileUnchanged(db, { passkey }, (queries) => [
    queries.update(passkeys).set({ name, mark }).where(eq(passkeys.id, passkey.id)),
    queries.insert(activities).values(entry),
  ])
}

/** Removes a passkey, and ends the other sessions. Returns false if the user was changed meanwhile. */
export function deletePasskey(
  { db, marks }: MarkedRecords,
  { user, id, keep }: { user: UserRow; id: string; keep: string },
  entry: NewActivity,
): Promise<boolean> {
  const count = user.passkeys - 1
  const mark = marks.of('users', { ...user, passkeys: count })
  return whileUnchanged(db, { user }, (queries) => [
    queries.update(users).set({ passkeys: count, mark }).where(eq(users.id, user.id)),
    queries.delete(passkeys).where(and(eq(passkeys.id, id), eq(passkeys.user_id, user.id))),
    othersEnd(queries, user.id, keep),
    queries.insert(activities).values(entry),
  ])
}
