import { type AnyColumn, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { partsWith, type Right } from '#shared/kernel/rights.ts'
import { type Holder, may } from './rights.ts'
import type { Visible } from './visible.ts'

/** Returns the part of the fleet where a caller has a right; undefined: the whole fleet. */
export async function visibleTo(
  { read }: Pick<Database, 'read'>,
  caller: Holder,
  right: Right = 'read',
): Promise<Visible | undefined> {
  if (may(caller, right)) return undefined
  const parts = partsWith(caller, right)
  const tags = parts.flatMap(({ tag }) => tag ?? [])
  const tagged =
    tags.length === 0
      ? []
      : await read.select({ id: servers.id }).from(servers).where(hasOneOf(tags))
  return {
    server_ids: [
      ...parts.flatMap(({ server_id }) => server_id ?? []),
      ...tagged.map(({ id }) => id),
    ],
    site_ids: parts.flatMap(({ site_id }) => site_id ?? []),
  }
}

const hasOneOf = (tags: readonly string[]): SQL =>
  sql`exists (select 1 from json_each(${servers.tags}) as tag where ${isIn(sql`tag.value`, tags)})`

/** The condition for one of the values, in the same statement for any number of them. */
const isIn = (column: AnyColumn | SQL, values: readonly (number | string)[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(values)}))`

/** The condition for what belongs to a server as a whole; undefined: everything is visible. */
export const isOnVisibleServer = (
  visible: Visible | undefined,
  server_id: AnyColumn | SQL,
): SQL | undefined => visible && isIn(server_id, visible.server_ids)

/** The condition for what belongs to a site, or to a server as a whole where it has no site. */
export const isOnVisibleSite = (
  visible: Visible | undefined,
  { server_id, site_id }: { server_id: AnyColumn | SQL; site_id: AnyColumn | SQL },
): SQL | undefined =>
  visible && or(isIn(server_id, visible.server_ids), isIn(site_id, visible.site_ids))

/** The condition for a row of the table of sites. */
export const isVisibleSite = (visible: Visible | undefined): SQL | undefined =>
  isOnVisibleSite(visible, { server_id: sites.server_id, site_id: sites.id })

/** The same as an SQL text that is always one: true for the whole fleet. */
export const visibleSites = (visible: Visible | undefined): SQL =>
  isVisibleSite(visible) ?? sql`true`

/**
 * The condition for the single visible sites of servers that are not visible as a whole. It names
 * their servers, too, so that an index by server reads no others.
 */
export const isSingleSite = ({ server_ids, site_ids }: Visible): SQL =>
  sql`(${sites.server_id} in (select one.server_id from sites as one
    where ${isIn(sql`one.id`, site_ids)} and not ${isIn(sql`one.server_id`, server_ids)})
    and ${isIn(sites.id, site_ids)})`
