import { eq, sql } from 'drizzle-orm'
import {
  grants,
  group_grants,
  group_members,
  groups,
  part_grants,
} from '#dashboard/kernel/db/auth-schema.ts'
import { type Queries, type Statement, writeAll } from '#dashboard/kernel/db/client.ts'
import type { CoveredColumns, Marks } from '#dashboard/kernel/db/marks.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { GRANTS, type Grant, type HeldGrants, type PartGrant } from '#shared/kernel/rights.ts'
import type { MarkedRecords } from './queries.ts'

const ofUser = preparedQuery((read) =>
  read
    .select()
    .from(grants)
    .where(eq(grants.user_id, sql.placeholder('user_id')))
    .prepare(),
)

const partsOfUser = preparedQuery((read) =>
  read
    .select()
    .from(part_grants)
    .where(eq(part_grants.user_id, sql.placeholder('user_id')))
    .orderBy(part_grants.id)
    .prepare(),
)

const ofGroups = preparedQuery((read) =>
  read
    .select({ group: groups, member: group_members, grant: group_grants })
    .from(group_members)
    .innerJoin(groups, eq(groups.id, group_members.group_id))
    .innerJoin(group_grants, eq(group_grants.group_id, groups.id))
    .where(eq(group_members.user_id, sql.placeholder('user_id')))
    .orderBy(group_grants.id)
    .prepare(),
)

/** A grant of a group: in the whole fleet, or on the part of it that is not null. */
export type GroupGrantRow = typeof group_grants.$inferSelect

/**
 * Returns what an account may do: in the whole fleet, from the least to the most, and on parts of
 * it, by its own grants and those of its groups. A row that others wrote grants nothing.
 */
export async function findGrants(
  { db, marks }: MarkedRecords,
  user_id: number,
): Promise<HeldGrants> {
  const own = await findOwnGrants({ db, marks }, user_id)
  const rows = await ofGroups(db).all({ user_id })
  const foreign = new Set(
    [...new Map(rows.map((row) => [row.group.id, row])).values()]
      .filter(
        ({ group, member }) => !marks.fits('groups', group) || !marks.fits('group_members', member),
      )
      .map(({ group }) => group.id),
  )
  return withGroups(
    own,
    rows
      .filter(({ group, grant }) => !foreign.has(group.id) && marks.fits('group_grants', grant))
      .map(({ grant }) => grant),
  )
}

/** Returns what an account may do by its own grants alone. */
export async function findOwnGrants(
  { db, marks }: MarkedRecords,
  user_id: number,
): Promise<HeldGrants> {
  const rows = await ofUser(db).all({ user_id })
  const given = new Set(rows.filter((row) => marks.fits('grants', row)).map((row) => row.gives))
  const parts = await partsOfUser(db).all({ user_id })
  return {
    grants: GRANTS.filter((grant) => given.has(grant)),
    parts: parts.filter((row) => marks.fits('part_grants', row)).map(partOf),
  }
}

const isInFleet = ({ tag, server_id, site_id }: PartGrant): boolean =>
  tag === null && server_id === null && site_id === null

/** Returns what a group gives its members: grants of the whole fleet, and on parts of it. */
export function groupHeld(rows: readonly GroupGrantRow[]): HeldGrants {
  const inFleet = new Set<string>(rows.filter(isInFleet).map(({ gives }) => gives))
  return {
    grants: GRANTS.filter((grant) => inFleet.has(grant)),
    parts: rows.filter((row) => !isInFleet(row)).map(partOf),
  }
}

/** Adds the grants of its groups to the own ones of an account: each grant is there once. */
export function withGroups(own: HeldGrants, rows: readonly GroupGrantRow[]): HeldGrants {
  if (rows.length === 0) return own
  const { grants, parts } = groupHeld(rows)
  const given = new Set([...own.grants, ...grants])
  const all = [...own.parts, ...parts].map((part) => [JSON.stringify(part), part] as const)
  return {
    grants: GRANTS.filter((grant) => given.has(grant)),
    parts: [...new Map(all).values()],
  }
}

/** Returns the grant of a row. */
export const partOf = ({ gives, tag, server_id, site_id }: PartGrant): PartGrant => ({
  gives,
  tag,
  server_id,
  site_id,
})

/**
 * Inserts an account with its grants; false if another process was faster with this address or id. An
 * account that is there already gets none: whoever can write to the database could put an own one.
 */
export async function insertUser(
  { db, marks }: MarkedRecords,
  values: CoveredColumns<'users'>,
  gives: readonly Grant[],
): Promise<boolean> {
  const row = { ...values, mark: marks.of('users', values) }
  const given = { user_id: values.id, gives, given_at: values.created_at }
  try {
    await writeAll(db, (queries) => [
      queries.insert(users).values(row),
      ...grantStatements(queries, marks, given),
    ])
    return true
  } catch (error) {
    if (violatesUnique(error, 'users.')) return false
    throw error
  }
}

interface NewGrants {
  user_id: number
  gives: readonly Grant[]
  given_at: string
}

/** Makes the statements that add grants to those of an account. */
export const grantStatements = (
  queries: Queries,
  marks: Marks,
  { gives, ...given }: NewGrants,
): Statement[] =>
  gives.map((grant) => {
    const values = { ...given, gives: grant }
    const mark = marks.of('grants', values)
    return queries
      .insert(grants)
      .values({ ...values, mark })
      .onConflictDoNothing()
  })

interface NewPartGrants {
  user_id: number
  parts: readonly PartGrant[]
  given_at: string
}

/** Makes the statements that replace the grants of an account on parts of the fleet. */
export const partGrantStatements = (
  queries: Queries,
  marks: Marks,
  { user_id, parts, given_at }: NewPartGrants,
): Statement[] => [
  queries.delete(part_grants).where(eq(part_grants.user_id, user_id)),
  ...parts.map((part) => {
    const values = { ...part, user_id, given_at }
    return queries.insert(part_grants).values({ ...values, mark: marks.of('part_grants', values) })
  }),
]

/** Makes the statements that replace the grants of a group: in the whole fleet, and on parts of it. */
export const groupGrantStatements = (
  queries: Queries,
  marks: Marks,
  { group_id, held, given_at }: { group_id: number; held: GroupGrants; given_at: string },
): Statement[] => [
  queries.delete(group_grants).where(eq(group_grants.group_id, group_id)),
  ...[...held.grants.map((gives) => ({ gives, ...WHOLE_FLEET })), ...held.parts].map((part) => {
    const values = { ...part, group_id, given_at }
    return queries
      .insert(group_grants)
      .values({ ...values, mark: marks.of('group_grants', values) })
  }),
]

const WHOLE_FLEET = { tag: null, server_id: null, site_id: null }

/** What a group can give: no group makes an owner. */
export interface GroupGrants extends HeldGrants {
  grants: readonly Exclude<Grant, 'owner'>[]
}
