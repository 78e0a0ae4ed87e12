import { and, eq, inArray } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import { site_moves } from '#dashboard/db/moves-schema.ts'
import type { OperationRow, ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { operations, servers, sites } from '#dashboard/db/schema.ts'
import { isOpen } from './open.ts'
import type { MoveRow } from './queries.ts'

export interface OpenMove {
  row: MoveRow
  /** The last one, which has ended. */
  operation: OperationRow
  site: SiteRow
  server: ServerRow
}

/** The moves whose last operation has ended and left something on a server; of one site, or all. */
export async function listOpen(db: Database, site_id?: number): Promise<OpenMove[]> {
  const ended = inArray(operations.status, ['failed', 'cancelled'])
  const rows = await db.read
    .select({ row: site_moves, operation: operations, site: sites, server: servers })
    .from(site_moves)
    .innerJoin(operations, eq(operations.id, site_moves.operation_id))
    .innerJoin(sites, eq(sites.id, site_moves.site_id))
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(and(ended, site_id === undefined ? undefined : eq(site_moves.site_id, site_id)))
  return rows.filter(({ row }) => isOpen(row))
}
