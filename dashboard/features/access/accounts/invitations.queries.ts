import { eq, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import { grantStatements, partGrantStatements } from '#dashboard/kernel/auth/grants.queries.ts'
import { admits, type MarkedRecords, type WriteCondition } from '#dashboard/kernel/auth/queries.ts'
import { invitations, people } from '#dashboard/kernel/db/access-schema.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import type { HeldGrants } from '#shared/kernel/rights.ts'
import { type Account, findAccount, isOneOwner } from './accounts.queries.ts'
import type { GroupRecord } from './groups.queries.ts'

export type InvitationRow = typeof invitations.$inferSelect

/** Lists the invitations that the dashboard wrote. */
export async function listInvitations({ db, marks }: MarkedRecords): Promise<InvitationRow[]> {
  const rows = await db.read.select().from(invitations)
  return rows.filter((row) => marks.fits('invitations', row))
}

export async function hasAccountWith(db: Database, email: string): Promise<boolean> {
  const row = await db.read.select({ id: users.id }).from(users).where(eq(users.email, email)).get()
  return row !== undefined
}

/**
 * Stores an invitation in place of the previous one of the person. Returns false unless the person
 * has no account, and `by` is still an owner. Breaks a constraint for an address of another invitation.
 */
export function storeInvitation(
  { db, marks }: MarkedRecords,
  values: CoveredColumns<'invitations'>,
  by: Account,
  entry: NewActivity,
): Promise<boolean> {
  const { person_id } = values
  const condition = sql`exists (select 1 from people where id = ${person_id} and user_id is null)
    and ${isOneOwner([by])}`
  return writeIf(db, condition, entry, (queries) => [
    queries.delete(invitations).where(eq(invitations.person_id, person_id)),
    queries.insert(invitations).values({ ...values, mark: marks.of('invitations', values) }),
  ])
}

/** Deletes the invitation of a person. Returns false without one, or if `by` is no longer an owner. */
export function deleteInvitation(
  db: Database,
  person_id: number,
  by: Account,
  entry: NewActivity,
): Promise<boolean> {
  const exists = sql`exists (select 1 from invitations where person_id = ${person_id})
    and ${isOneOwner([by])}`
  return writeIf(db, exists, entry, (queries) => [
    queries.delete(invitations).where(eq(invitations.person_id, person_id)),
  ])
}

export interface OpenInvitation {
  invitation: InvitationRow
  /** The name of the person. */
  name: string
  invited_by: Account
}

/**
 * Returns an invitation that has not ended; undefined for any other hash, and for one of an account
 * that is no longer an owner.
 */
export async function findInvitation(
  records: MarkedRecords,
  hash: string,
  now: string,
): Promise<OpenInvitation | undefined> {
  const { db, marks } = records
  const found = await db.read
    .select({ invitation: invitations, name: people.name, user_id: people.user_id })
    .from(invitations)
    .innerJoin(people, eq(people.id, invitations.person_id))
    .where(eq(invitations.hash, hash))
    .get()
  if (!found || found.user_id !== null) return undefined
  const { invitation, name } = found
  if (!marks.fits('invitations', invitation) || invitation.expires_at <= now) return undefined
  const invited_by = await findAccount(records, invitation.invited_by)
  if (!invited_by || !admits(marks, invited_by.user)) return undefined
  return invited_by.grants.includes('owner') ? { invitation, name, invited_by } : undefined
}

/** Returns an id that no account has had: the id of a row is part of its mark. */
export async function nextUserId(db: Database): Promise<number> {
  const [row] = await db.read.all<{ last: number }>(
    sql`select max(coalesce((select seq from sqlite_sequence where name = 'users'), 0),
      coalesce((select max(id) from users), 0)) as last`,
  )
  return (row?.last ?? 0) + 1
}

interface Given extends HeldGrants {
  groups: readonly GroupRecord[]
}

/** What is written with an account, and what must hold then. */
export interface AlsoAccepted {
  holds: WriteCondition
  statements: (queries: Queries) => readonly Statement[]
}

/**
 * Makes the account of an invitation, which ends, with what else belongs to it. Returns false when
 * the invitation has ended meanwhile, or `also.holds` is false. Breaks a constraint for an id or an
 * address that an account has.
 */
export function storeAccepted(
  { db, marks }: MarkedRecords,
  { invitation, invited_by }: OpenInvitation,
  user: CoveredColumns<'users'>,
  { grants, parts, groups }: Given,
  entry: NewActivity,
  also?: AlsoAccepted,
): Promise<boolean> {
  const { hash, mark, person_id } = invitation
  const condition = sql`exists (select 1 from invitations inner join people
      on people.id = invitations.person_id
      where hash = ${hash} and mark = ${mark} and people.user_id is null)
    and ${isOneOwner([invited_by])} and ${also?.holds ?? sql`true`}`
  const given = { user_id: user.id, gives: grants, given_at: user.created_at }
  return writeIf(db, condition, entry, (queries) => [
    queries.insert(users).values({ ...user, mark: marks.of('users', user) }),
    ...grantStatements(queries, marks, given),
    ...partGrantStatements(queries, marks, {
      user_id: user.id,
      parts,
      given_at: user.created_at,
    }),
    ...groups.map(({ group }) => {
      const row = { group_id: group.id, user_id: user.id, added_at: user.created_at }
      // A group may have been removed since it was read.
      return queries.run(sql`insert into group_members (group_id, user_id, added_at, mark)
        select id, ${row.user_id}, ${row.added_at}, ${marks.of('group_members', row)}
        from "groups" where id = ${group.id} and mark = ${group.mark}`)
    }),
    queries.update(people).set({ user_id: user.id }).where(eq(people.id, person_id)),
    queries.delete(invitations).where(eq(invitations.person_id, person_id)),
    ...(also?.statements(queries) ?? []),
  ])
}
