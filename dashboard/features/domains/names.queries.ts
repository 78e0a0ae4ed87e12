import { and, asc, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Database, Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { RecordChange } from '#dashboard/kernel/engine/rules.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { pairOf, SiteNames } from '#shared/kernel/site-names.ts'

/** Returns a value for `sites.apex` that its constraint refuses if it is a name of a site. */
export const apexUnlessTaken = (apex: string): SQL<string> =>
  sql<string>`(case when exists (select 1 from site_names where apex = ${apex})
    then null else ${apex} end)`

/** Returns the site that has a name with this apex, beside its primary domain. */
export function findHolder(db: Database, apex: string): Promise<{ domain: string } | undefined> {
  return db.read
    .select({ domain: sites.domain })
    .from(site_names)
    .innerJoin(sites, eq(sites.id, site_names.site_id))
    .where(eq(site_names.apex, apex))
    .get()
}

export async function listAllHolders(db: Database, apexes: readonly string[]) {
  const [primary, named] = await Promise.all([
    db.read
      .select({ apex: sites.apex, domain: sites.domain, site_id: sites.id })
      .from(sites)
      .where(and(inArray(sites.apex, [...apexes]), eq(sites.managed, true))),
    db.read
      .select({ apex: site_names.apex, domain: sites.domain, site_id: sites.id })
      .from(site_names)
      .innerJoin(sites, eq(sites.id, site_names.site_id))
      .where(inArray(site_names.apex, [...apexes])),
  ])
  return [...named, ...primary]
}

/** Lists the managed sites, other than this one, that have one of these apexes. */
export async function listHolders(
  db: Database,
  site_id: number,
  apexes: readonly string[],
): Promise<Map<string, string>> {
  const holders = (await listAllHolders(db, apexes)).filter((one) => one.site_id !== site_id)
  return new Map(holders.map(({ apex, domain }) => [apex, domain]))
}

export async function listTargets(
  db: Database,
  site_id: number,
  names: readonly string[],
): Promise<{ name: string; target: string }[]> {
  const rows = await db.read
    .select({ name: site_names.name, target: site_names.target })
    .from(site_names)
    .where(and(inArray(site_names.name, [...names]), ne(site_names.site_id, site_id)))
  return rows.flatMap(({ name, target }) => (target === null ? [] : [{ name, target }]))
}

/** Returns the names as the agent last confirmed them. */
export async function namesOf(db: Database, site_id: number): Promise<SiteNames> {
  const rows = await db.read
    .select()
    .from(site_names)
    .where(and(eq(site_names.site_id, site_id), isNull(site_names.added_by)))
    .orderBy(asc(site_names.position))
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind)
  return SiteNames.parse({
    www: ofKind('www').length > 0 ? 'redirect' : 'serve',
    aliases: ofKind('alias').map(({ name }) => name),
    redirects: ofKind('redirect').map(({ name, target, status, keep_path }) => ({
      domain: name,
      status,
      keep_path,
      ...(target !== null && { to: target }),
    })),
  })
}

/** The apex of `wanted.name`, qualified because a subquery has a `name` of its own. */
export const APEX = sql.raw(
  `(case when wanted.name like 'www.%.%' then substr(wanted.name, 5) else wanted.name end)`,
)

const requestedNames = (id: string, site_id: number | null) => sql`
  with given as (select params, (select domain from sites where id = ${site_id}) as domain
    from operations where id = ${id}),
  wanted (name, kind, position, target, status, keep_path) as (
    select value, 'alias', key, null, 301, 1 from given, json_each(given.params, '$.aliases')
    union all
    select value ->> '$.domain', 'redirect', key, value ->> '$.to', value ->> '$.status',
      value ->> '$.keep_path' from given, json_each(given.params, '$.redirects')
    union all
    select case when domain like 'www.%.%' then substr(domain, 5) else 'www.' || domain end,
      'www', 0, null, 301, 1 from given where params ->> '$.www' = 'redirect')`

const COLUMNS = sql.raw('name, apex, site_id, kind, position, target, status, keep_path, added_by')

/** Reserves the names that the operation adds: a name of another site breaks a constraint. */
export const reserveNames: RecordChange = (queries, { id, site_id }) => [
  queries.run(sql`insert into site_names (${COLUMNS}) ${requestedNames(id, site_id)}
    select name, (case when exists (select 1 from sites where sites.apex = ${APEX}
        and sites.managed = 1 and sites.id <> ${site_id})
      or exists (select 1 from site_names as other where other.apex = ${APEX}
        and other.site_id <> ${site_id}) then null else ${APEX} end),
      ${site_id}, kind, position, target, status, keep_path, ${id}
    from wanted where name not in (select name from site_names where site_id = ${site_id})`),
]

/** Inserts the names of a new site; one that another site has breaks a constraint. */
export const namesOfNew = (
  queries: Queries,
  site_id: SQL<number>,
  domain: string,
  { www, aliases, redirects }: SiteNames,
): Statement[] =>
  [
    ...aliases.map((name, position) => ({ name, kind: 'alias', position }) as const),
    ...redirects.map(({ domain: name, to: target, ...rest }, position) => ({
      ...({ name, kind: 'redirect', position, target } as const),
      ...rest,
    })),
    ...pairOf(domain)
      .slice(1)
      .filter(() => www === 'redirect')
      .map((name) => ({ name, kind: 'www' }) as const),
  ].map((row) => {
    const apex = apexOf(row.name)
    const free = sql<string>`(case when exists (select 1 from sites
        where sites.apex = ${apex} and sites.managed = 1 and sites.id <> ${site_id})
      or exists (select 1 from site_names as other
        where other.apex = ${apex} and other.site_id <> ${site_id}) then null else ${apex} end)`
    return queries.insert(site_names).values({ ...row, apex: free, site_id })
  })

/** Replaces the names by those that the operation set. */
export const storeNames: RecordChange = (queries, { id, site_id }) => [
  queries.delete(site_names).where(eq(site_names.site_id, site_id ?? 0)),
  queries.run(sql`insert or ignore into site_names (${COLUMNS}) ${requestedNames(id, site_id)}
    select name, ${APEX}, ${site_id}, kind, position, target, status, keep_path, null from wanted`),
]

/** Releases the names that the operation would have added. */
export const releaseNames: RecordChange = (queries, { id }) => [
  queries.delete(site_names).where(eq(site_names.added_by, id)),
]
