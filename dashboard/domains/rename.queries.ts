import { and, eq, ne, sql } from 'drizzle-orm'
import { site_names } from '#dashboard/db/domains-schema.ts'
import { sites } from '#dashboard/db/schema.ts'
import type { Change } from '#dashboard/operations/rules.ts'
import { apexOf } from '#shared/names.ts'
import type { Renamed } from '#shared/operation-types/site.rename.ts'
import { pairOf, type SiteNames } from '#shared/site-names.ts'
import { APEX } from './names.queries.ts'

/** Reserves the new primary domain: a name of another site breaks a constraint. */
export const reservePrimary: Change = (queries, { id, site_id }) => [
  queries.run(sql`insert into site_names (name, apex, site_id, kind, position, added_by)
    select name, (case when exists (select 1 from sites where sites.apex = ${APEX}
        and sites.managed = 1 and sites.id <> ${site_id})
      or exists (select 1 from site_names as other where other.apex = ${APEX}
        and other.site_id <> ${site_id}) then null else ${APEX} end),
      ${site_id}, 'alias', 0, ${id}
    from (select params ->> '$.primary' as name from operations where id = ${id})
    where name not in (select name from site_names where site_id = ${site_id})`),
]

/**
 * The site has its new primary domain, and keeps its id. A sync may have found the new name, and not
 * the former one, before this operation ended.
 */
export const storePrimary =
  ({ domain, ...names }: Renamed): Change =>
  (queries, { site_id, server_id }) => {
    if (site_id === null) return []
    const apex = apexOf(domain)
    const found = and(eq(sites.server_id, server_id), eq(sites.apex, apex), ne(sites.id, site_id))
    const state = { status: 'active', status_reason: '', missing_since: null } as const
    const rows = rowsOf(site_id, domain, names)
    return [
      queries.delete(site_names).where(eq(site_names.site_id, site_id)),
      queries.delete(sites).where(and(found, eq(sites.managed, false))),
      queries
        .update(sites)
        .set({ domain, apex, ...state })
        .where(eq(sites.id, site_id)),
      ...rows.map((row) => queries.insert(site_names).values(row).onConflictDoNothing()),
    ]
  }

function rowsOf(
  site_id: number,
  domain: string,
  { www, aliases, redirects }: SiteNames,
): (typeof site_names.$inferInsert)[] {
  const [, other] = pairOf(domain)
  const row = (name: string) => ({ name, apex: apexOf(name), site_id })
  return [
    ...(www === 'redirect' && other !== undefined ? [{ ...row(other), kind: 'www' as const }] : []),
    ...aliases.map((name, position) => ({ ...row(name), kind: 'alias' as const, position })),
    ...redirects.map(({ domain: name, to, status, keep_path }, position) => ({
      ...{ ...row(name), kind: 'redirect' as const, position, status, keep_path },
      target: to ?? null,
    })),
  ]
}
