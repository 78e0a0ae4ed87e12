import { and, asc, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { BulkRules } from '#dashboard/kernel/engine/rules.ts'
import { isOnVisibleServer, isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import type { BulkTarget, BulkTargets } from '#shared/operations/api/bulk-operations.ts'

export interface SiteTarget extends BulkTarget {
  /** Whether the agent did not create it. */
  found: boolean
}

/** What the caller may change; undefined: the whole fleet. */
interface Seen {
  visible?: Visible | undefined
}

/** Lists the named sites, and suitable ones of the named servers that are not ignored. */
export function listSiteTargets(
  db: Database,
  rules: BulkRules | null,
  { site_ids, server_ids, tag, visible }: BulkTargets & Seen,
  limit: number,
): Promise<SiteTarget[]> {
  const fitting = and(
    isNull(sites.ignored_at),
    rules?.managed_only ? eq(sites.managed, true) : undefined,
    inArray(sites.status, [...(rules?.states ?? [])]),
    isOnServers(sites.server_id, server_ids, tag),
  )
  const ofServers = server_ids.length > 0 || tag !== undefined ? fitting : undefined
  return db.read
    .select({
      server_id: sites.server_id,
      site_id: sites.id,
      domain: sites.domain,
      found: sql<boolean>`${sites.found} and ${sites.status} <> 'trashed'`.mapWith(Boolean),
    })
    .from(sites)
    .where(and(or(inArray(sites.id, site_ids), ofServers), isVisibleSite(visible)))
    .orderBy(asc(sites.id))
    .limit(limit)
}

export function listServerTargets(
  db: Database,
  { server_ids, tag, visible }: Omit<BulkTargets, 'site_ids'> & Seen,
  limit: number,
): Promise<BulkTarget[]> {
  return db.read
    .select({
      server_id: servers.id,
      site_id: sql<number | null>`null`,
      domain: servers.hostname,
    })
    .from(servers)
    .where(and(isOnServers(servers.id, server_ids, tag), isOnVisibleServer(visible, servers.id)))
    .orderBy(asc(servers.id))
    .limit(limit)
}

/** The condition for what is on one of the servers, or on one with the tag. */
export function isOnServers(
  column: typeof servers.id | typeof sites.server_id,
  ids: number[],
  tag: string | undefined,
) {
  const tagged: SQL = sql`${column} in (
    select servers.id from servers, json_each(servers.tags) as tag where tag.value = ${tag ?? ''})`
  return or(inArray(column, ids), tag === undefined ? undefined : tagged)
}

export async function unknownSites(
  db: Database,
  ids: readonly number[],
  visible?: Visible,
): Promise<number[]> {
  const rows = await db.read
    .select({ id: sites.id })
    .from(sites)
    .where(and(inArray(sites.id, [...ids]), isVisibleSite(visible)))
  return without(ids, rows)
}

export async function unknownServers(
  db: Database,
  ids: readonly number[],
  visible?: Visible,
): Promise<number[]> {
  const rows = await db.read
    .select({ id: servers.id })
    .from(servers)
    .where(and(inArray(servers.id, [...ids]), isOnVisibleServer(visible, servers.id)))
  return without(ids, rows)
}

function without(ids: readonly number[], rows: { id: number }[]): number[] {
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}
