import { and, count, desc, eq, getTableColumns, gt, isNull, ne, type SQL, sql } from 'drizzle-orm'
import {
  api_tokens,
  passkeys,
  password_resets,
  sessions,
  user_factors,
} from '#dashboard/kernel/db/auth-schema.ts'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns, MarkedRow, Marks } from '#dashboard/kernel/db/marks.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import type { NewActivity, UserRow } from '#dashboard/kernel/db/rows.ts'
import { activities, users } from '#dashboard/kernel/db/schema.ts'
import { violatesNotNull } from '#dashboard/kernel/db/violations.ts'
import type { User } from '#shared/kernel/api/auth.ts'

export async function hasUsers(db: Database): Promise<boolean> {
  const row = await db.read.select({ total: count() }).from(users).get()
  return (row?.total ?? 0) > 0
}

/** The records, and the marks that prove that the dashboard wrote them. */
export interface MarkedRecords {
  db: Database
  marks: Marks
}

/** Whether the dashboard wrote the row, and the account is in use: API tokens of no other one count. */
export const isInUse = (marks: Marks, row: UserRow): boolean =>
  marks.fits('users', row) && row.deactivated_at === null

/** Whether a person logs in with the account: no way to log in leads to a service account. */
export const admits = (marks: Marks, row: UserRow): boolean =>
  isInUse(marks, row) && row.kind === 'person'

/** Whether the account has an authenticator app or a passkey, which a login with the password needs. */
export const hasFactor = ({
  factor_id,
  passkeys: count,
}: Pick<UserRow, 'factor_id' | 'passkeys'>) => factor_id !== '' || count > 0

/** Returns the user with an address in lower case; undefined for one that admits nobody. */
export async function findUserByEmail(
  { db, marks }: MarkedRecords,
  email: string,
): Promise<UserRow | undefined> {
  const row = await db.read.select().from(users).where(eq(users.email, email)).get()
  return row && admits(marks, row) ? row : undefined
}

/** Returns undefined for a user that admits nobody. */
export async function findUser(
  { db, marks }: MarkedRecords,
  id: number,
): Promise<UserRow | undefined> {
  const row = await db.read.select().from(users).where(eq(users.id, id)).get()
  return row && admits(marks, row) ? row : undefined
}

/** Whether an account in use is one of the fleet, which never logs in. */
export async function isServiceAccount({ db, marks }: MarkedRecords, id: number): Promise<boolean> {
  const row = await db.read.select().from(users).where(eq(users.id, id)).get()
  return row?.kind === 'service' && isInUse(marks, row)
}

/** Returns the address of a person for certificates; it admits nobody. */
export async function findAddress(db: Database, id: number): Promise<string | undefined> {
  const { email, deactivated_at, kind } = users
  const isUser = and(eq(users.id, id), isNull(deactivated_at), eq(kind, 'person'))
  return (await db.read.select({ email }).from(users).where(isUser).get())?.email
}

/** What must hold in the transaction of a write, such as that its caller is still an owner. */
export type WriteCondition = SQL

/** Whether a session has not ended. */
export const isOpen = (jti: string): WriteCondition =>
  sql`exists (select 1 from sessions where jti = ${jti})`

/** Whether a user is as it was read. */
export const isSameUser = ({ id, mark }: Pick<UserRow, 'id' | 'mark'>): WriteCondition =>
  sql`exists (select 1 from users where id = ${id} and mark = ${mark})`

/** The rows as they were read, which a change is based on. */
interface ReadRows {
  user?: Pick<UserRow, 'id' | 'mark'> | undefined
  /** What must also hold, if there is a user. */
  holds?: WriteCondition | undefined
  factor?: Pick<MarkedRow<'user_factors'>, 'id' | 'mark'>
  passkey?: Pick<MarkedRow<'passkeys'>, 'id' | 'mark'>
}

/**
 * Runs the statements if the rows are as they were read and `holds` is true. Returns false, after no
 * change, if another request has changed one of them: a mark that is computed from what was read
 * would not fit.
 */
export async function whileUnchanged(
  db: Database,
  { user, holds, factor, passkey }: ReadRows,
  statements: (queries: Queries) => readonly Statement[],
): Promise<boolean> {
  const refused = { mark: sql<string>`null` }
  try {
    await writeAll(db, (queries) => [
      ...(user ? [queries.update(users).set(refused).where(changed(users, user))] : []),
      ...(user && holds
        ? [
            queries
              .update(users)
              .set(refused)
              .where(sql`${eq(users.id, user.id)} and not (${holds})`),
          ]
        : []),
      ...(factor
        ? [queries.update(user_factors).set(refused).where(changed(user_factors, factor))]
        : []),
      ...(passkey ? [queries.update(passkeys).set(refused).where(changed(passkeys, passkey))] : []),
      ...statements(queries),
    ])
    return true
  } catch (error) {
    if (violatesNotNull(error, 'users.mark')) return false
    if (violatesNotNull(error, 'user_factors.mark')) return false
    if (violatesNotNull(error, 'passkeys.mark')) return false
    throw error
  }
}

const changed = (
  table: typeof users | typeof user_factors | typeof passkeys,
  { id, mark }: { id: number | string; mark: string },
) => and(eq(table.id, id), ne(table.mark, mark))

/** Inserts a session. Returns false if the user was changed after the login, or `holds` is false. */
export function insertSession(
  { db, marks }: MarkedRecords,
  { session, ...read }: Pick<ReadRows, 'user' | 'holds'> & { session: CoveredColumns<'sessions'> },
  entry: NewActivity,
): Promise<boolean> {
  return whileUnchanged(db, read, (queries) => [
    queries.insert(sessions).values({
      ...session,
      last_used_at: session.created_at,
      mark: marks.of('sessions', session),
    }),
    queries
      .update(users)
      .set({ last_login_at: session.created_at })
      .where(eq(users.id, session.user_id)),
    queries.insert(activities).values(entry),
  ])
}

const session = preparedQuery((read) =>
  read
    .select({ session: getTableColumns(sessions), user: getTableColumns(users) })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(eq(sessions.jti, sql.placeholder('jti')))
    .prepare(),
)

type SessionRow = typeof sessions.$inferSelect
export type FoundSession = SessionRow & { user: User }

/** Returns undefined for a session that was changed outside of the dashboard, or whose user admits nobody. */
export async function findSession(
  { db, marks }: MarkedRecords,
  jti: string,
): Promise<FoundSession | undefined> {
  const found = await session(db).get({ jti })
  if (!found || !marks.fits('sessions', found.session) || !admits(marks, found.user)) {
    return undefined
  }
  return { ...found.session, user: publicUser(found.user) }
}

export const publicUser = ({ id, email, name }: User): User => ({ id, email, name })

/** Whether a session that was admitted before has not ended. */
export async function hasSession(db: Database, jti: string, now: string): Promise<boolean> {
  const found = await session(db).get({ jti })
  return found !== undefined && found.session.expires_at > now
}

/** Lists the valid sessions of a user, the one that was used last first. */
export async function findSessionsOf(
  { db, marks }: MarkedRecords,
  user_id: number,
  now: string,
): Promise<SessionRow[]> {
  const rows = await db.read
    .select()
    .from(sessions)
    .where(and(eq(sessions.user_id, user_id), gt(sessions.expires_at, now)))
    .orderBy(desc(sql`coalesce(${sessions.last_used_at}, ${sessions.renewed_at})`), sessions.jti)
  return rows.filter((row) => marks.fits('sessions', row))
}

/** Notes a use, which no kept answer shows. */
export async function touchSession(db: Database, jti: string, last_used_at: string): Promise<void> {
  const statements = (queries: Queries) => [
    queries.update(sessions).set({ last_used_at }).where(eq(sessions.jti, jti)),
  ]
  await writeAll(db, statements, { only_readings: true })
}

/** Updates a session. Returns false if another request changed it meanwhile, or it was ended. */
export async function updateSession(
  { db, marks }: MarkedRecords,
  before: MarkedRow<'sessions'>,
  values: Partial<Pick<CoveredColumns<'sessions'>, 'renewed_at' | 'expires_at' | 'confirmed_at'>>,
): Promise<boolean> {
  const mark = marks.of('sessions', { ...before, ...values })
  const rows = await db.write((queries) =>
    queries
      .update(sessions)
      .set({ ...values, mark })
      .where(and(eq(sessions.jti, before.jti), eq(sessions.mark, before.mark)))
      .returning({ jti: sessions.jti }),
  )
  return rows.length > 0
}

export async function deleteSession(db: Database, jti: string, entry: NewActivity): Promise<void> {
  await writeAll(db, (queries) => [
    queries.delete(sessions).where(eq(sessions.jti, jti)),
    queries.insert(activities).values(entry),
  ])
}

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

interface OwnChange {
  /** The user as the password was verified, or as it was read. */
  user: UserRow
  /** The session in which the user asks for the change. */
  session: string
}

/**
 * Updates name and e-mail address. Returns false, after no change, if the user was changed meanwhile
 * or the session has ended.
 */
export function updateProfile(
  { db, marks }: MarkedRecords,
  { user, session }: OwnChange,
  values: Pick<UserRow, 'email' | 'name'>,
  entry: NewActivity,
): Promise<boolean> {
  const mark = marks.of('users', { ...user, ...values })
  return whileUnchanged(db, { user, holds: isOpen(session) }, (queries) => [
    queries
      .update(users)
      .set({ ...values, mark })
      .where(eq(users.id, user.id)),
    // A link for a new password was sent to the previous address.
    queries.delete(password_resets).where(eq(password_resets.user_id, user.id)),
    queries.insert(activities).values(entry),
  ])
}

interface NewPassword {
  user: UserRow
  password_hash: string
  /** The session of the change, which is kept: all others of the user end. Undefined without one. */
  keep?: string
  end_tokens: boolean
}

/**
 * Updates the password. Returns false, after no change, if the user was changed meanwhile or the
 * session of the change has ended.
 */
export function updatePassword(
  { db, marks }: MarkedRecords,
  { user, password_hash, keep, end_tokens }: NewPassword,
  entry: NewActivity,
): Promise<boolean> {
  const user_id = user.id
  const mark = marks.of('users', { ...user, password_hash })
  const holds = keep === undefined ? undefined : isOpen(keep)
  return whileUnchanged(db, { user, holds }, (queries) => [
    queries.update(users).set({ password_hash, mark }).where(eq(users.id, user_id)),
    queries
      .delete(sessions)
      .where(and(eq(sessions.user_id, user_id), ne(sessions.jti, keep ?? ''))),
    queries.delete(password_resets).where(eq(password_resets.user_id, user_id)),
    ...(end_tokens ? [queries.delete(api_tokens).where(eq(api_tokens.user_id, user_id))] : []),
    queries.insert(activities).values(entry),
  ])
}
