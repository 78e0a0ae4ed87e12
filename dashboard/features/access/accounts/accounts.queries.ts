import { eq, type SQL, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import {
  grantStatements,
  partGrantStatements,
  partOf,
} from '#dashboard/kernel/auth/grants.queries.ts'
import { listMadeOwners, MADE_OWNERS } from '#dashboard/kernel/auth/made-owners.queries.ts'
import type { PolicyGuard } from '#dashboard/kernel/auth/policy.queries.ts'
import { admits, isSameUser, type MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { invitations, people } from '#dashboard/kernel/db/access-schema.ts'
import {
  api_tokens,
  grants,
  group_members,
  part_grants,
  policy_rules,
  sessions,
} from '#dashboard/kernel/db/auth-schema.ts'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { identities } from '#dashboard/kernel/db/identity-schema.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity, UserRow } from '#dashboard/kernel/db/rows.ts'
import { settings, users } from '#dashboard/kernel/db/schema.ts'
import { GRANTS, type Grant, type PartGrant } from '#shared/kernel/rights.ts'

type GrantRow = typeof grants.$inferSelect
type PartRow = typeof part_grants.$inferSelect

/** An account as it was read: a change of it is refused when it has changed since. */
export interface Account {
  user: UserRow
  grants: Grant[]
  parts: PartGrant[]
  rows: GrantRow[]
  part_rows: PartRow[]
}

const accountOf = (
  marks: Marks,
  user: UserRow,
  rows: GrantRow[],
  part_rows: PartRow[],
): Account => {
  const given = new Set(rows.filter((row) => marks.fits('grants', row)).map((row) => row.gives))
  return {
    user,
    grants: GRANTS.filter((grant) => given.has(grant)),
    parts: part_rows.filter((row) => marks.fits('part_grants', row)).map(partOf),
    rows,
    part_rows,
  }
}

/** Lists the accounts that nobody has changed outside of the dashboard. */
export async function listAccounts({ db, marks }: MarkedRecords): Promise<Account[]> {
  const all = await db.read.select().from(users)
  const given = Map.groupBy(await db.read.select().from(grants), ({ user_id }) => user_id)
  const parts = Map.groupBy(
    await db.read.select().from(part_grants).orderBy(part_grants.id),
    ({ user_id }) => user_id,
  )
  return all
    .filter((user) => marks.fits('users', user))
    .map((user) => accountOf(marks, user, given.get(user.id) ?? [], parts.get(user.id) ?? []))
}

export async function findAccount(
  { db, marks }: MarkedRecords,
  user_id: number,
): Promise<Account | undefined> {
  const user = await db.read.select().from(users).where(eq(users.id, user_id)).get()
  if (!user || !marks.fits('users', user)) return undefined
  const rows = await db.read.select().from(grants).where(eq(grants.user_id, user_id))
  const part_rows = await db.read
    .select()
    .from(part_grants)
    .where(eq(part_grants.user_id, user_id))
    .orderBy(part_grants.id)
  return accountOf(marks, user, rows, part_rows)
}

/** Names an account as the owner that it is now: another state of it has another text. */
const ownerKey = ({ user, rows }: Account): string =>
  `${rows.find(({ gives }) => gives === 'owner')?.mark} ${user.mark}`

export async function listOwners(records: MarkedRecords): Promise<Account[]> {
  const all = await listAccounts(records)
  return all.filter(({ user, grants }) => admits(records.marks, user) && grants.includes('owner'))
}

/** Whether one of these accounts is still an owner, and in use. */
export const isOneOwner = (owners: readonly Account[]): SQL =>
  sql`exists (select 1 from grants inner join users on users.id = grants.user_id
    where grants.gives = 'owner' and grants.mark || ' ' || users.mark
      in (select value from json_each(${JSON.stringify(owners.map(ownerKey))})))`

/** Whether neither the account nor its own grants have changed since they were read. */
const isUnchanged = ({ user, rows, part_rows }: Account): SQL =>
  sql`${isSameUser(user)}
    and ${areRows(sql`grants where user_id = ${user.id}`, rows)}
    and ${areRows(sql`part_grants where user_id = ${user.id}`, part_rows)}`

/** Whether the rows `from` a table are these, as they were read. */
export const areRows = (from: SQL, rows: readonly { mark: string }[]): SQL =>
  sql`(select count(*) from ${from}) = ${rows.length} and not exists (select 1 from ${from}
    and mark not in (select value from json_each(${JSON.stringify(rows.map(({ mark }) => mark))})))`

export interface AccountChange {
  /** What the account may do from then on in the whole fleet. */
  grants?: readonly Grant[]
  /** What it may do from then on, on parts of the fleet. */
  parts?: readonly PartGrant[]
  user?: Partial<Pick<UserRow, 'email' | 'name' | 'password_hash' | 'deactivated_at'>>
  /** Whether sessions, tokens and every access to sites end. */
  ends?: boolean
  /** Whether the person has no account from then on. */
  leaves_person?: boolean
  /**
   * Whether nobody can use the account ever again: it leaves its groups, and rules of the access
   * policy about it end.
   */
  is_removed?: boolean
}

interface Conditions {
  /** The owner who makes the change. */
  by: Account
  /** Owners of whom one must be left; undefined: the change ends no owner. */
  others: readonly Account[] | undefined
  /** The state in which the change breaks no rule of the access policy. */
  guard: PolicyGuard
}

/** Stores a change with its activity. Returns false when somebody else was faster. */
export function storeChange(
  { db, marks }: MarkedRecords,
  account: Account,
  change: AccountChange,
  { by, others, guard }: Conditions,
  entry: NewActivity & { created_at: string },
): Promise<boolean> {
  const conditions = [
    isUnchanged(account),
    isOneOwner([by]),
    ...(others ? [isOneOwner(others)] : []),
  ]
  return writeIf(db, sql.join(conditions, sql` and `), entry, (queries) => [
    guard(queries),
    ...statementsOf(queries, marks, account, change, others !== undefined, entry.created_at),
  ])
}

/**
 * Makes an account an owner that is in use, with its activity and the announcement of it. Returns
 * false when the account was changed since it was read.
 */
export async function storeOwner(
  { db, marks }: MarkedRecords,
  account: Account,
  entry: NewActivity,
  at: string,
): Promise<boolean> {
  const change = { grants: ['owner'], user: { deactivated_at: null } } as const
  const value = [...(await listMadeOwners(db)), { user_id: account.user.id, at }]
  return writeIf(db, isUnchanged(account), entry, (queries) => [
    ...statementsOf(queries, marks, account, change, false, at),
    queries
      .insert(settings)
      .values({ key: MADE_OWNERS, value })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
  ])
}

function statementsOf(
  queries: Queries,
  marks: Marks,
  { user }: Account,
  change: AccountChange,
  ends_owner: boolean,
  at: string,
): Statement[] {
  const { id } = user
  const row = { ...user, ...change.user }
  return [
    ...(change.user
      ? [
          queries
            .update(users)
            .set({ ...change.user, mark: marks.of('users', row) })
            .where(eq(users.id, id)),
        ]
      : []),
    ...(change.grants ? replaceGrants(queries, marks, id, change.grants, at) : []),
    ...(change.parts
      ? partGrantStatements(queries, marks, { user_id: id, parts: change.parts, given_at: at })
      : []),
    ...(change.ends
      ? [
          queries.delete(sessions).where(eq(sessions.user_id, id)),
          queries.delete(api_tokens).where(eq(api_tokens.user_id, id)),
          queries.update(people).set({ access_ended_at: at }).where(eq(people.user_id, id)),
        ]
      : []),
    ...(change.leaves_person
      ? [
          queries.update(people).set({ user_id: null }).where(eq(people.user_id, id)),
          queries.delete(identities).where(eq(identities.user_id, id)),
        ]
      : []),
    ...(change.is_removed
      ? [
          queries.delete(group_members).where(eq(group_members.user_id, id)),
          queries.delete(policy_rules).where(eq(policy_rules.user_id, id)),
        ]
      : []),
    ...(ends_owner ? [queries.delete(invitations).where(eq(invitations.invited_by, id))] : []),
  ]
}

function replaceGrants(
  queries: Queries,
  marks: Marks,
  user_id: number,
  given: readonly Grant[],
  given_at: string,
): Statement[] {
  const removed = queries.delete(grants).where(eq(grants.user_id, user_id))
  return [removed, ...grantStatements(queries, marks, { user_id, gives: given, given_at })]
}
