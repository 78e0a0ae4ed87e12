import { and, asc, count, eq, gt, inArray, or, sql } from 'drizzle-orm'
import { sites_count } from '#dashboard/features/servers/queries.ts'
import { isShown } from '#dashboard/features/sites/listing/filter.queries.ts'
import { LISTING_INDEX } from '#dashboard/features/sites/listing/sites.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import {
  isOnVisibleServer,
  isOnVisibleSite,
  isVisibleSite,
} from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { FleetServer, WordpressVersion } from '#shared/overview/api/fleet.ts'
import type { ServerPhp } from '#shared/servers/api/servers.ts'

/** The number of servers that are read at once, in about a millisecond. */
const SERVERS = 100

const serverColumns = {
  id: servers.id,
  name: servers.name,
  hostname: servers.hostname,
  port: servers.port,
  user: servers.user,
  tags: servers.tags,
  os: servers.os,
  version: servers.version,
  status: servers.status,
  status_reason: servers.last_error,
  failures: servers.failures,
  sites_count,
  last_sync: servers.last_sync,
  created_at: servers.created_at,
  metrics: servers.metrics,
  metrics_at: servers.metrics_at,
}

export type FleetServerRow = Omit<FleetServer, 'age' | 'metrics_age'>

type UncountedServer = Omit<FleetServerRow, 'sites_count'>

export type ListedServer = UncountedServer &
  Pick<ServerRow, 'services' | 'imports_refused'> & { lost_at: string | null }

const lost_at = sql<string | null>`(select declared_at from lost_servers
  where lost_servers.server_id = servers.id)`

/** Lists the servers by name, in parts between which other requests run. */
export async function listFleetServers(
  db: Database,
  visible: Visible | undefined,
): Promise<ListedServer[]> {
  const { id, name, services, imports_refused } = servers
  const { sites_count: _, ...columns } = serverColumns
  const ids = await db.read
    .select({ id })
    .from(servers)
    .where(isOnVisibleServer(visible, id))
    .orderBy(asc(name), asc(id))
  const rows = new Map<number, ListedServer>()
  for (const some of chunksOf(ids, SERVERS)) {
    const wanted = JSON.stringify(some.map((each) => each.id))
    const found = await db.read
      .select({ ...columns, services, imports_refused, lost_at })
      .from(servers)
      .where(sql`${id} in (select value from json_each(${wanted}))`)
    for (const row of found) rows.set(row.id, row)
    if (some.length === SERVERS) await yieldToEventLoop()
  }
  return ids.flatMap((each) => rows.get(each.id) ?? [])
}

export function listServerPhp(db: Database, visible: Visible | undefined): Promise<ServerPhp[]> {
  const { id: server_id, name, php_versions } = servers
  return db.read
    .select({ server_id, name, php_versions })
    .from(servers)
    .where(isOnVisibleServer(visible, server_id))
    .orderBy(asc(servers.name))
}

export async function getFleetServer(db: Database, id: number) {
  const { services, php_versions } = servers
  const [row] = await db.read
    .select({ ...serverColumns, services, php_versions })
    .from(servers)
    .where(eq(servers.id, id))
  if (!row) throw notFound('Server')
  return row
}

export async function listWordpressVersions(
  db: Database,
  visible: Visible | undefined,
): Promise<WordpressVersion[]> {
  const rows = await db.read
    .select({ version: sql<string>`${sites.wp_version}`, sites: count() })
    .from(LISTING_INDEX)
    .where(
      and(
        isShown,
        sql`${sites.status} <> 'trashed'`,
        sql`${sites.wp_version} <> ''`,
        isVisibleSite(visible),
      ),
    )
    .groupBy(sites.wp_version)
  return rows.toSorted((one, other) => byNumber.compare(other.version, one.version))
}

const byNumber = new Intl.Collator('en', { numeric: true })

/** Counts running operations, and those that failed since. */
export async function countOperations(db: Database, since: string, visible: Visible | undefined) {
  const rows = await db.read
    .select({ status: operations.status, total: count() })
    .from(operations)
    .where(
      and(
        or(
          inArray(operations.status, ['queued', 'running']),
          and(eq(operations.status, 'failed'), gt(operations.finished_at, since)),
        ),
        isOnVisibleSite(visible, operations),
      ),
    )
    .groupBy(operations.status)
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]))
}
