import { and, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { RecordChange } from '#dashboard/kernel/engine/rules.ts'
import type { Renamed } from '#shared/copies/site.rename.ts'
import { type NewPrimary, namesAfter } from '#shared/domains/primary-domain.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { NO_NAMES, pairOf, type SiteNames } from '#shared/kernel/site-names.ts'
import { APEX } from './names.queries.ts'

type PrimaryChange = NewPrimary & { domain: string }

/** Reserves the new primary domain: a name of another site breaks a constraint. */
export const reservePrimary: RecordChange = (queries, { id, site_id }) => [
  queries.run(sql`insert into site_names (name, apex, site_id, kind, position, added_by)
    select name, (case when exists (select 1 from sites where sites.apex = ${APEX}
        and sites.managed = 1 and sites.id <> ${site_id})
      or exists (select 1 from site_names as other where other.apex = ${APEX}
        and other.site_id <> ${site_id}) then null else ${APEX} end),
      ${site_id}, 'alias', 0, ${id}
    from (select params ->> '$.primary' as name from operations where id = ${id}) as wanted
    where name not in (select name from site_names where site_id = ${site_id})`),
]

/**
 * Gives the site its new primary domain; the site keeps its id. Of its other names only those of
 * both domains change: an agent cannot take other names by reporting them. A sync may have found
 * the new name, and not the former one, before this operation ended.
 */
export const storePrimary =
  ({ www }: Pick<Renamed, 'www'>, asked: PrimaryChange): RecordChange =>
  (queries, { site_id, server_id }) => {
    if (site_id === null) return []
    const { domain: former, primary: domain } = asked
    const apex = apexOf(domain)
    const found = and(eq(sites.server_id, server_id), eq(sites.apex, apex), ne(sites.id, site_id))
    const state = { status: 'active', status_reason: '', missing_since: null } as const
    const own = eq(site_names.site_id, site_id)
    const changed = inArray(site_names.name, [...pairOf(former), ...pairOf(domain)])
    const position = sql`(select coalesce(max(position), -1) + 1 from site_names where ${own})`
    return [
      queries.delete(site_names).where(and(own, or(changed, eq(site_names.kind, 'www')))),
      ...(isGivenUp(asked) ? redirectStatements(queries, own, asked) : []),
      queries.delete(sites).where(and(found, eq(sites.managed, false))),
      queries
        .update(sites)
        .set({ domain, apex, ...state })
        .where(eq(sites.id, site_id)),
      ...rowsOf(site_id, www, asked).map((row) =>
        queries
          .insert(site_names)
          .values({ ...row, position })
          .onConflictDoNothing(),
      ),
    ]
  }

const isGivenUp = ({ domain, primary, former }: PrimaryChange) =>
  former === 'none' && apexOf(domain) !== apexOf(primary)

/** Lets redirects to a name that is given up lead to the new one, as in `namesAfter`. */
const redirectStatements = (
  queries: Queries,
  own: SQL,
  { domain, primary }: PrimaryChange,
): Statement[] =>
  pairOf(domain).flatMap((host) =>
    ['http', 'https'].map((scheme) => {
      const from = `${scheme}://${host}`
      const rest = sql`substr(target, ${from.length + 1})`
      const isHost = sql`substr(target, 1, ${from.length}) = ${from}
        and substr(${rest}, 1, 1) in ('', '/', ':')`
      return queries
        .update(site_names)
        .set({ target: sql`${`${scheme}://${primary}`} || ${rest}` })
        .where(and(own, isHost))
    }),
  )

function rowsOf(
  site_id: number,
  former: SiteNames['www'],
  { domain, ...asked }: PrimaryChange,
): (typeof site_names.$inferInsert)[] {
  const names = { ...NO_NAMES, www: former }
  const { www, aliases, redirects } = namesAfter({ domain, names }, asked)
  const [, other] = pairOf(asked.primary)
  const row = (name: string) => ({ name, apex: apexOf(name), site_id })
  return [
    ...(www === 'redirect' && other !== undefined ? [{ ...row(other), kind: 'www' as const }] : []),
    ...aliases.map((name) => ({ ...row(name), kind: 'alias' as const })),
    ...redirects.map(({ domain: name, status, keep_path }) => ({
      ...row(name),
      kind: 'redirect' as const,
      status,
      keep_path,
    })),
  ]
}
