import { type SQL, sql } from 'drizzle-orm'
import type {
  grants,
  group_grants,
  group_members,
  groups,
  part_grants,
  policy_rules,
} from '#dashboard/kernel/db/auth-schema.ts'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { violatesNotNull } from '#dashboard/kernel/db/violations.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { GRANTS } from '#shared/kernel/rights.ts'
import { groupHeld, partOf } from './grants.queries.ts'
import { type PolicyChange, type PolicyFacts, refuseBroken, type StoredRule } from './policy.ts'
import { isInUse, type MarkedRecords } from './queries.ts'

/** What a reading also needs, beside what the stored rules are about. */
interface PolicyScope {
  /** The account of a rule that is not stored yet. */
  user_id?: number
  /** Sites that a rule or a grant names that is not stored yet. */
  site_ids?: readonly number[]
}

/** The columns of the rows on which the rules depend, with all that their marks cover. */
interface PolicyRows {
  rules: (typeof policy_rules.$inferSelect)[]
  /** The id and the mark, which covers the rest of the row. */
  users: [id: number, mark: string][]
  grants: (typeof grants.$inferSelect)[]
  parts: (typeof part_grants.$inferSelect)[]
  groups: (typeof groups.$inferSelect)[]
  /** Only the accounts with a rule. */
  members: (typeof group_members.$inferSelect)[]
  group_grants: (typeof group_grants.$inferSelect)[]
  servers: [id: number, name: string, tags: string][]
  /** `same`: how many sites have the domain. */
  sites: [id: number, domain: string, server_id: number, other_id: number | null, same: number][]
}

/** The rows on which the rules depend, as JSON: what is read is also what a write compares. */
function rowsOf({ user_id = 0, site_ids = [] }: PolicyScope): SQL {
  const ruled = sql`(select user_id from policy_rules union select ${user_id})`
  const grouped = sql`(select group_id from group_members where user_id in ${ruled})`
  const named = sql`select site_id from policy_rules where site_id is not null
    union select site_id from part_grants where site_id is not null and user_id in ${ruled}
    union select site_id from group_grants where site_id is not null and group_id in ${grouped}
    union select value from json_each(${JSON.stringify(site_ids)})`
  return sql`(select json_object(
    'rules', (select json_group_array(json_object('id', id, 'user_id', user_id, 'can', can,
      'what', what, 'tag', tag, 'server_id', server_id, 'site_id', site_id,
      'created_at', created_at, 'mark', mark)) from (select * from policy_rules order by id)),
    'users', (select json_group_array(json_array(id, mark)) from
      (select id, mark from users where id in ${ruled} order by id)),
    'grants', (select json_group_array(json_object('user_id', user_id, 'gives', gives,
      'given_at', given_at, 'mark', mark)) from
      (select * from grants where user_id in ${ruled} order by user_id, gives)),
    'parts', (select json_group_array(json_object('user_id', user_id, 'gives', gives, 'tag', tag,
      'server_id', server_id, 'site_id', site_id, 'given_at', given_at, 'mark', mark)) from
      (select * from part_grants where user_id in ${ruled} order by id)),
    'groups', (select json_group_array(json_object('id', id, 'name', name, 'made_at', made_at,
      'mark', mark)) from (select * from "groups" where id in ${grouped} order by id)),
    'members', (select json_group_array(json_object('group_id', group_id, 'user_id', user_id,
      'added_at', added_at, 'mark', mark)) from
      (select * from group_members where user_id in ${ruled} order by group_id, user_id)),
    'group_grants', (select json_group_array(json_object('id', id, 'group_id', group_id,
      'gives', gives, 'tag', tag, 'server_id', server_id, 'site_id', site_id,
      'given_at', given_at, 'mark', mark)) from
      (select * from group_grants where group_id in ${grouped} order by id)),
    'servers', (select json_group_array(json_array(id, name, tags)) from
      (select id, name, tags from servers
        where exists (select 1 from policy_rules) or ${user_id} <> 0 order by id)),
    'sites', (select json_group_array(json_array(id, domain, server_id, other_id, same)) from
      (select sites.id, domain, sites.server_id, other_id,
        (select count(*) from sites as other where other.domain = sites.domain) as same
        from sites left join site_moves on site_moves.site_id = sites.id
        where sites.id in (${named}) order by sites.id))))`
}

/** The rules with what they depend on, and the statement of a batch that is only for this state. */
interface ReadPolicy {
  facts: PolicyFacts
  guard: PolicyGuard
}

/**
 * Makes the first statement of the batch that makes a change: it breaks a constraint when the rules or
 * what they depend on is not as it was checked.
 */
export type PolicyGuard = (queries: Queries) => Statement

export async function readPolicy(
  { db, marks }: MarkedRecords,
  scope: PolicyScope = {},
): Promise<ReadPolicy> {
  const rows = rowsOf(scope)
  const ruled = sql`${users.id} in (select user_id from policy_rules union select ${scope.user_id ?? 0})`
  const [[read], accounts] = await db.read.batch([
    db.read.all<{ text: string }>(sql`select ${rows} as text`),
    db.read.select().from(users).where(ruled),
  ])
  const text = read?.text ?? ''
  return {
    facts: factsIn({ marks }, JSON.parse(text), accounts),
    guard: (queries) =>
      queries.run(sql`insert into policy_rules (user_id, can, what, created_at)
        select null, 0, '', '' where ${rows} <> ${text}`),
  }
}

function factsIn(
  { marks }: Pick<MarkedRecords, 'marks'>,
  rows: PolicyRows,
  accounts: readonly (typeof users.$inferSelect)[],
): PolicyFacts {
  const grants = rows.grants.filter((row) => marks.fits('grants', row))
  const parts = rows.parts.filter((row) => marks.fits('part_grants', row))
  return {
    rules: rows.rules.map(({ mark, ...row }): StoredRule => {
      const is_trusted = marks.fits('policy_rules', { ...row, mark })
      return { ...row, can: row.can === 1, is_trusted }
    }),
    accounts: new Map(
      accounts.map((user) => [
        user.id,
        {
          name: user.email,
          is_in_use: isInUse(marks, user),
          grants: GRANTS.filter((grant) =>
            grants.some(({ user_id, gives }) => user_id === user.id && gives === grant),
          ),
          parts: parts.filter(({ user_id }) => user_id === user.id).map(partOf),
        },
      ]),
    ),
    groups: groupsIn({ marks }, rows),
    servers: new Map(
      rows.servers.map(([id, name, tags]) => [id, { name, tags: JSON.parse(tags) }]),
    ),
    sites: new Map(
      rows.sites.map(([id, domain, server_id, other_id, same]) => [
        id,
        {
          domain: same === 1 ? domain : `#${id}`,
          server_ids: other_id === null ? [server_id] : [server_id, other_id],
        },
      ]),
    ),
  }
}

/** Returns the groups with the grants and members that count: no row that others wrote gives anything. */
function groupsIn(
  { marks }: Pick<MarkedRecords, 'marks'>,
  { groups, members, group_grants }: PolicyRows,
): PolicyFacts['groups'] {
  const given = group_grants.filter((row) => marks.fits('group_grants', row))
  const joined = members.filter((row) => marks.fits('group_members', row))
  return new Map(
    groups
      .filter((row) => marks.fits('groups', row))
      .map(({ id }) => [
        id,
        {
          members: joined.flatMap(({ group_id, user_id }) => (group_id === id ? [user_id] : [])),
          ...groupHeld(given.filter(({ group_id }) => group_id === id)),
        },
      ]),
  )
}

const TURNS = 5

/**
 * Makes a change of what accounts can do, or of where servers and sites are: `write` puts the
 * statement of the guard before its own, in one batch. Throws 409 with `policy_broken` when a rule of
 * the access policy would not hold after it; the check and the change are one transaction.
 */
export async function keepPolicy<T>(
  records: MarkedRecords,
  change: PolicyChange,
  write: (guard: PolicyGuard) => Promise<T>,
): Promise<T> {
  const site_ids = sitesIn(change)
  return whileRulesStay(async () => {
    const { facts, guard } = await readPolicy(records, { site_ids })
    refuseBroken(facts, change)
    return write(guard)
  })
}

/** Throws 409 with `policy_broken` like `keepPolicy`, for a plan or a call that changes nothing yet. */
export async function checkPolicy(records: MarkedRecords, change: PolicyChange): Promise<void> {
  const { facts } = await readPolicy(records, { site_ids: sitesIn(change) })
  refuseBroken(facts, change)
}

const sitesIn = ({ accounts = [], group, site }: PolicyChange): number[] => [
  ...[...accounts, ...(group ? [group] : [])].flatMap(({ parts = [] }) =>
    parts.flatMap(({ site_id }) => site_id ?? []),
  ),
  ...(site ? [site.site_id] : []),
]

/** Repeats a change that was checked in a state of the records that another change has ended. */
export async function whileRulesStay<T>(change: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < TURNS; turn++)
    try {
      return await change()
    } catch (error) {
      if (!violatesNotNull(error, 'policy_rules.user_id')) throw error
    }
  throw conflict('Others change the rights or the servers: try again', 'changed_meanwhile')
}
