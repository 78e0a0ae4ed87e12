import { and, eq, type SQL, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import {
  type GroupGrantRow,
  type GroupGrants,
  groupGrantStatements,
  withGroups,
} from '#dashboard/kernel/auth/grants.queries.ts'
import type { PolicyGuard } from '#dashboard/kernel/auth/policy.queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { group_grants, group_members, groups } from '#dashboard/kernel/db/auth-schema.ts'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import type { HeldGrants } from '#shared/kernel/rights.ts'
import { type Account, areRows, isOneOwner } from './accounts.queries.ts'

type MemberRow = typeof group_members.$inferSelect

/** A group as it was read: a change of it is refused when it has changed since. */
export interface GroupRecord {
  group: typeof groups.$inferSelect
  /** The accounts that are members. */
  user_ids: readonly number[]
  /** What the group gives them. */
  grants: readonly GroupGrantRow[]
  member_rows: readonly MemberRow[]
  grant_rows: readonly GroupGrantRow[]
}

/** Lists the groups that nobody has changed outside of the dashboard, by name. */
export async function listGroupRecords({ db, marks }: MarkedRecords): Promise<GroupRecord[]> {
  const all = await db.read.select().from(groups)
  const members = Map.groupBy(
    await db.read.select().from(group_members),
    ({ group_id }) => group_id,
  )
  const given = Map.groupBy(
    await db.read.select().from(group_grants).orderBy(group_grants.id),
    ({ group_id }) => group_id,
  )
  return all
    .filter((group) => marks.fits('groups', group))
    .map((group) => {
      const member_rows = members.get(group.id) ?? []
      const grant_rows = given.get(group.id) ?? []
      return {
        group,
        user_ids: member_rows
          .filter((row) => marks.fits('group_members', row))
          .map(({ user_id }) => user_id),
        grants: grant_rows.filter((row) => marks.fits('group_grants', row)),
        member_rows,
        grant_rows,
      }
    })
    .toSorted((one, other) => one.group.name.localeCompare(other.group.name, 'en'))
}

/** Returns the groups of an account. */
export const groupsOf = (all: readonly GroupRecord[], { user }: Pick<Account, 'user'>) =>
  all.filter(({ user_ids }) => user_ids.includes(user.id))

/** Returns everything that an account may do, by its own grants and those of its groups. */
export const heldBy = (
  all: readonly GroupRecord[],
  { user, grants, parts }: Pick<Account, 'user' | keyof HeldGrants>,
): HeldGrants =>
  withGroups(
    { grants, parts },
    groupsOf(all, { user }).flatMap((group) => group.grants),
  )

export interface GroupChange {
  name?: string
  held?: GroupGrants
  /** The accounts that are members from then on, as they were read. */
  members?: readonly Account['user'][]
}

interface Conditions {
  /** The owner who makes the change. */
  by: Account
  entry: NewActivity & { created_at: string }
  /** The state in which the change breaks no rule of the access policy. */
  guard: PolicyGuard
}

/** Whether a group, its members and its grants are those that were read. */
const isUnchanged = ({ group, member_rows, grant_rows }: GroupRecord): SQL =>
  sql`exists (select 1 from "groups" where id = ${group.id} and mark = ${group.mark})
    and ${areRows(sql`group_members where group_id = ${group.id}`, member_rows)}
    and ${areRows(sql`group_grants where group_id = ${group.id}`, grant_rows)}`

const areAccounts = (members: readonly Account['user'][]): SQL =>
  sql`(select count(*) from users where mark in (select value
    from json_each(${JSON.stringify(members.map(({ mark }) => mark))}))) = ${members.length}`

/** Stores a change with its activity. Returns false when somebody else was faster. */
export function storeGroupChange(
  { db, marks }: MarkedRecords,
  record: GroupRecord,
  change: GroupChange,
  { by, entry, guard }: Conditions,
): Promise<boolean> {
  const condition = sql`${isUnchanged(record)} and ${isOneOwner([by])}
    and ${areAccounts(change.members ?? [])}`
  const { id, made_at } = record.group
  return writeIf(db, condition, entry, (queries) => [
    guard(queries),
    ...(change.name === undefined
      ? []
      : [
          queries
            .update(groups)
            .set({
              name: change.name,
              mark: marks.of('groups', { id, made_at, name: change.name }),
            })
            .where(eq(groups.id, id)),
        ]),
    ...contentsOf(queries, marks, record.group.id, change, entry.created_at),
  ])
}

/**
 * Stores a new group with its activity. Returns false unless `by` is still an owner. Breaks a
 * constraint for an id or a name that a group has.
 */
export function storeGroup(
  { db, marks }: MarkedRecords,
  { id, name, held, members }: Required<GroupChange> & { id: number },
  { by, entry, guard }: Conditions,
): Promise<boolean> {
  const row = { id, name, made_at: entry.created_at }
  const condition = sql`${isOneOwner([by])} and ${areAccounts(members)}`
  return writeIf(db, condition, entry, (queries) => [
    guard(queries),
    queries.insert(groups).values({ ...row, mark: marks.of('groups', row) }),
    ...contentsOf(queries, marks, id, { held, members }, entry.created_at),
  ])
}

function contentsOf(
  queries: Queries,
  marks: Marks,
  group_id: number,
  { held, members }: GroupChange,
  at: string,
): Statement[] {
  const added = (members ?? []).map(({ id }) => {
    const row = { group_id, user_id: id, added_at: at }
    return queries.insert(group_members).values({ ...row, mark: marks.of('group_members', row) })
  })
  return [
    ...(members ? [queries.delete(group_members).where(eq(group_members.group_id, group_id))] : []),
    ...added,
    ...(held ? groupGrantStatements(queries, marks, { group_id, held, given_at: at }) : []),
  ]
}

/** Deletes a group with its members and grants. Returns false when somebody else was faster. */
export function deleteGroup(
  { db }: MarkedRecords,
  record: GroupRecord,
  { by, entry, guard }: Conditions,
): Promise<boolean> {
  const condition = sql`${isUnchanged(record)} and ${isOneOwner([by])}`
  return writeIf(db, condition, entry, (queries) => [
    guard(queries),
    queries.delete(group_grants).where(eq(group_grants.group_id, record.group.id)),
    queries.delete(group_members).where(eq(group_members.group_id, record.group.id)),
    queries.delete(groups).where(eq(groups.id, record.group.id)),
  ])
}

/** Deletes a group that somebody else has written, which nobody sees, and which has the name. */
export async function deleteForeign({ db, marks }: MarkedRecords, name: string): Promise<void> {
  const row = await db.read.select().from(groups).where(eq(groups.name, name)).get()
  if (!row || marks.fits('groups', row)) return
  await db.write((queries) =>
    queries.delete(groups).where(and(eq(groups.id, row.id), eq(groups.mark, row.mark))),
  )
}

/** Returns an id that no group has had: the id of a row is part of its mark. */
export async function nextGroupId(db: Database): Promise<number> {
  const [row] = await db.read.all<{ last: number }>(
    sql`select max(coalesce((select seq from sqlite_sequence where name = 'groups'), 0),
      coalesce((select max(id) from "groups"), 0)) as last`,
  )
  return (row?.last ?? 0) + 1
}
