import { eq, inArray, sql } from 'drizzle-orm'
import { isOneOwner } from '#dashboard/features/access/accounts/accounts.queries.ts'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import type { PolicyGuard } from '#dashboard/kernel/auth/policy.queries.ts'
import type { PolicyRule } from '#dashboard/kernel/auth/policy.ts'
import { isInUse, type MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { policy_rules } from '#dashboard/kernel/db/auth-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { servers, sites, users } from '#dashboard/kernel/db/schema.ts'

type Owner = Parameters<typeof isOneOwner>[0][number]

/** Returns the id of the account in use with an address or a name; undefined without one. */
export async function findAccountNamed(
  { db, marks }: MarkedRecords,
  name: string,
): Promise<number | undefined> {
  const rows = await db.read
    .select()
    .from(users)
    .where(inArray(users.email, [name, name.toLowerCase()]))
  return rows.find((row) => isInUse(marks, row))?.id
}

/** Whether somebody can use the account. */
export async function isAccountInUse({ db, marks }: MarkedRecords, id: number): Promise<boolean> {
  const row = await db.read.select().from(users).where(eq(users.id, id)).get()
  return row !== undefined && isInUse(marks, row)
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

/** Lists the servers with a name, or the one with an id. */
export async function findServersNamed(
  { read }: Pick<Database, 'read'>,
  named: { name: string } | { id: number },
): Promise<number[]> {
  const isIt = 'id' in named ? eq(servers.id, named.id) : eq(servers.name, named.name)
  return idsOf(await read.select({ id: servers.id }).from(servers).where(isIt))
}

/** Lists the sites with a domain, or the one with an id. */
export async function findSitesNamed(
  { read }: Pick<Database, 'read'>,
  named: { name: string } | { id: number },
): Promise<number[]> {
  const isIt = 'id' in named ? eq(sites.id, named.id) : eq(sites.domain, named.name)
  return idsOf(await read.select({ id: sites.id }).from(sites).where(isIt))
}

export async function hasTag({ read }: Pick<Database, 'read'>, tag: string): Promise<boolean> {
  const rows = await read.all(
    sql`select 1 from servers, json_each(servers.tags) as tag where tag.value = ${tag} limit 1`,
  )
  return rows.length > 0
}

interface NewRule {
  rule: PolicyRule
  created_at: string
  /** The owner who adds the rule. */
  by: Owner
  /** The state in which the rule holds. */
  guard: PolicyGuard
}

/** Stores a rule. Returns false unless `by` is still an owner. */
export function storeRule(
  { db, marks }: MarkedRecords,
  { rule: { user_id, can, what, tag, server_id, site_id }, created_at, by, guard }: NewRule,
  entry: NewActivity,
): Promise<boolean> {
  const values = { user_id, can: can ? 1 : 0, what, tag, server_id, site_id, created_at }
  return writeIf(db, isOneOwner([by]), entry, (queries) => [
    guard(queries),
    queries.insert(policy_rules).values({ ...values, mark: marks.of('policy_rules', values) }),
  ])
}

/** Deletes a rule. Returns false without it, and unless `by` is still an owner. */
export function deleteStoredRule(
  { db }: MarkedRecords,
  id: number,
  by: Owner,
  entry: NewActivity,
): Promise<boolean> {
  const condition = sql`exists (select 1 from policy_rules where id = ${id}) and ${isOneOwner([by])}`
  return writeIf(db, condition, entry, (queries) => [
    queries.delete(policy_rules).where(eq(policy_rules.id, id)),
  ])
}
