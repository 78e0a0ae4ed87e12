import { and, asc, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { type Account, isOneOwner } from '#dashboard/features/access/accounts/accounts.queries.ts'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { sessions } from '#dashboard/kernel/db/auth-schema.ts'
import type { Queries } from '#dashboard/kernel/db/client.ts'
import { identities, identity_providers } from '#dashboard/kernel/db/identity-schema.ts'
import type { CoveredColumns, MarkedRow } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { users } from '#dashboard/kernel/db/schema.ts'

export type ProviderRow = MarkedRow<'identity_providers'>

/** Lists the providers that the dashboard wrote, by name. */
export async function listProviders({ db, marks }: MarkedRecords): Promise<ProviderRow[]> {
  const rows = await db.read.select().from(identity_providers).orderBy(asc(identity_providers.name))
  return rows.filter((row) => marks.fits('identity_providers', row))
}

export async function findProvider(
  { db, marks }: MarkedRecords,
  key: string,
): Promise<ProviderRow | undefined> {
  const row = await db.read
    .select()
    .from(identity_providers)
    .where(eq(identity_providers.key, key))
    .get()
  return row && marks.fits('identity_providers', row) ? row : undefined
}

/** Whether a provider is as it was read. */
export const isUnchanged = ({ key, mark }: Pick<ProviderRow, 'key' | 'mark'>): SQL =>
  sql`exists (select 1 from identity_providers where key = ${key} and mark = ${mark})`

interface NewProvider {
  values: CoveredColumns<'identity_providers'>
  most: number
  by: Account
}

/** Inserts a provider. Returns false when there are `most` already, or `by` is no longer an owner. */
export function insertProvider(
  { db, marks }: MarkedRecords,
  { values, most, by }: NewProvider,
  entry: NewActivity,
): Promise<boolean> {
  const isRoom = sql`(select count(*) from identity_providers) < ${most} and ${isOneOwner([by])}`
  return writeIf(db, isRoom, entry, (queries) => [
    queries
      .insert(identity_providers)
      .values({ ...values, mark: marks.of('identity_providers', values) }),
  ])
}

interface ProviderChange {
  values: Partial<CoveredColumns<'identity_providers'>>
  /** The session that stays when those of its accounts end; undefined: no session ends. */
  ends_but: string | undefined
  by: Account
}

/** Changes a provider. Returns false if it was changed meanwhile, or `by` is no longer an owner. */
export function updateProvider(
  { db, marks }: MarkedRecords,
  before: ProviderRow,
  { values, ends_but, by }: ProviderChange,
  entry: NewActivity,
): Promise<boolean> {
  const mark = marks.of('identity_providers', { ...before, ...values })
  const condition = sql`${isUnchanged(before)} and ${isOneOwner([by])}`
  return writeIf(db, condition, entry, (queries) => [
    queries
      .update(identity_providers)
      .set({ ...values, mark })
      .where(eq(identity_providers.key, before.key)),
    ...(ends_but === undefined ? [] : [endSessions(queries, before.issuer, ends_but)]),
  ])
}

/**
 * Deletes a provider with its identities. Returns false if it was changed meanwhile, or `by` is no
 * longer an owner.
 */
export function deleteProvider(
  { db }: MarkedRecords,
  row: ProviderRow,
  { ends_but, by }: { ends_but: string; by: Account },
  entry: NewActivity,
): Promise<boolean> {
  const condition = sql`${isUnchanged(row)} and ${isOneOwner([by])}`
  return writeIf(db, condition, entry, (queries) => [
    endSessions(queries, row.issuer, ends_but),
    queries.delete(identities).where(eq(identities.issuer, row.issuer)),
    queries.delete(identity_providers).where(eq(identity_providers.key, row.key)),
  ])
}

function endSessions(queries: Queries, issuer: string, but: string) {
  const linked = queries
    .select({ id: identities.user_id })
    .from(identities)
    .where(eq(identities.issuer, issuer))
  return queries
    .delete(sessions)
    .where(and(inArray(sessions.user_id, linked), ne(sessions.jti, but)))
}

/** The issuers at which an account has an identity, and whether it has a password. */
export interface LinkedAccount {
  issuers: string[]
  has_password: boolean
}

/** Lists the accounts in use that have an identity. */
export async function listLinked({ db }: Pick<MarkedRecords, 'db'>): Promise<LinkedAccount[]> {
  const rows = await db.read
    .select({ id: users.id, issuer: identities.issuer, password_hash: users.password_hash })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.user_id))
    .where(isNull(users.deactivated_at))
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((own) => ({
    issuers: own.map(({ issuer }) => issuer),
    has_password: own[0]?.password_hash !== '',
  }))
}
