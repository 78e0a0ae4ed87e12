import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import { grantStatements } from '#dashboard/kernel/auth/grants.queries.ts'
import type { PolicyGuard } from '#dashboard/kernel/auth/policy.queries.ts'
import {
  isOpen,
  isSameUser,
  type MarkedRecords,
  whileUnchanged,
} from '#dashboard/kernel/auth/queries.ts'
import { people } from '#dashboard/kernel/db/access-schema.ts'
import { api_tokens, grants, sessions } from '#dashboard/kernel/db/auth-schema.ts'
import { type Queries, type Statement, writeAll } from '#dashboard/kernel/db/client.ts'
import { identities } from '#dashboard/kernel/db/identity-schema.ts'
import type { CoveredColumns, MarkedRow, Marks } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity, UserRow } from '#dashboard/kernel/db/rows.ts'
import { activities, users } from '#dashboard/kernel/db/schema.ts'
import { type Grant, ROLES, type Role } from '#shared/kernel/rights.ts'
import { isUnchanged, type ProviderRow } from './providers.queries.ts'

type IdentityRow = MarkedRow<'identities'> & { id: number }
type NewIdentity = CoveredColumns<'identities'>

/**
 * Returns the row of an issuer and a subject; undefined without one, and null for one that was changed
 * outside of the dashboard.
 */
export async function findIdentity(
  { db, marks }: MarkedRecords,
  { issuer, subject }: Pick<NewIdentity, 'issuer' | 'subject'>,
): Promise<IdentityRow | undefined | null> {
  const isIt = and(eq(identities.issuer, issuer), eq(identities.subject, subject))
  const row = await db.read.select().from(identities).where(isIt).get()
  return row && !marks.fits('identities', row) ? null : row
}

export async function listIdentities(
  { db, marks }: MarkedRecords,
  user_id: number,
): Promise<IdentityRow[]> {
  const own = eq(identities.user_id, user_id)
  const rows = await db.read.select().from(identities).where(own).orderBy(asc(identities.id))
  return rows.filter((row) => marks.fits('identities', row))
}

/** Makes the statement that links an identity. It breaks a constraint for one that is linked. */
export const identityStatement = (queries: Queries, marks: Marks, row: NewIdentity): Statement =>
  queries.insert(identities).values({ ...row, mark: marks.of('identities', row) })

interface NewLink {
  /** The user as it was read. */
  user: UserRow
  /** The session in which the link was begun. */
  session: string
  provider: ProviderRow
  row: NewIdentity
}

/** Links an identity. Returns false if the user or the provider was changed, or the session ended. */
export function insertIdentity(
  { db, marks }: MarkedRecords,
  { user, session, provider, row }: NewLink,
  entry: NewActivity,
): Promise<boolean> {
  const isSame = sql`${isSameUser(user)} and ${isUnchanged(provider)} and ${isOpen(session)}`
  return writeIf(db, isSame, entry, (queries) => [identityStatement(queries, marks, row)])
}

/**
 * Unlinks an identity, and ends the other sessions of its account. Returns false if that has neither a
 * password nor another identity at a provider that can be used.
 */
export function deleteIdentity(
  { db }: MarkedRecords,
  { id, user_id }: IdentityRow,
  keep: string,
  entry: NewActivity,
): Promise<boolean> {
  const hasOther = sql`(exists (select 1 from users where id = ${user_id} and password_hash <> '')
    or exists (select 1 from identities as other
      inner join identity_providers on identity_providers.issuer = other.issuer
      where other.user_id = ${user_id} and other.id <> ${id} and is_enabled = 1))`
  return writeIf(db, hasOther, entry, (queries) => [
    queries.delete(identities).where(eq(identities.id, id)),
    queries.delete(sessions).where(and(eq(sessions.user_id, user_id), ne(sessions.jti, keep))),
  ])
}

interface ClaimedAccount {
  user: CoveredColumns<'users'>
  /** The name of the new person. */
  person: string
  role: Role
  identity: NewIdentity
}

/**
 * Makes an account with its person and its identity. Returns false if the provider was changed
 * meanwhile. Breaks a constraint for an id, an address, a name or an identity that is taken.
 */
export function storeClaimed(
  { db, marks }: MarkedRecords,
  provider: ProviderRow,
  { user, person, role, identity }: ClaimedAccount,
  entry: NewActivity,
): Promise<boolean> {
  const { id: user_id, created_at } = user
  return writeIf(db, isUnchanged(provider), entry, (queries) => [
    queries.insert(users).values({ ...user, mark: marks.of('users', user) }),
    ...grantStatements(queries, marks, { user_id, gives: [role], given_at: created_at }),
    queries.insert(people).values({ name: person, created_at, user_id }),
    identityStatement(queries, marks, identity),
  ])
}

interface ClaimedRole {
  user: UserRow
  /** The provider whose claim gives the role. */
  provider: ProviderRow
  gives: readonly Grant[]
  given_at: string
  /** The state in which the role breaks no rule of the access policy. */
  guard: PolicyGuard
}

/** Replaces the role of an account. Returns false if it or the provider was changed meanwhile. */
export function storeRole(
  { db, marks }: MarkedRecords,
  { user, provider, gives, given_at, guard }: ClaimedRole,
  entry: NewActivity,
): Promise<boolean> {
  const former = and(eq(grants.user_id, user.id), inArray(grants.gives, [...ROLES]))
  return whileUnchanged(db, { user, holds: isUnchanged(provider) }, (queries) => [
    guard(queries),
    queries.delete(grants).where(former),
    ...grantStatements(queries, marks, { user_id: user.id, gives, given_at }),
    queries.insert(activities).values(entry),
  ])
}

/** Ends the sessions and API tokens of an account whose claim gives no role any more. */
export async function endClaimed({ db }: MarkedRecords, user_id: number): Promise<void> {
  await writeAll(db, (queries) => [
    queries.delete(sessions).where(eq(sessions.user_id, user_id)),
    queries.delete(api_tokens).where(eq(api_tokens.user_id, user_id)),
  ])
}
