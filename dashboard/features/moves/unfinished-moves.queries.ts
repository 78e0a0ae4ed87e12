import { and, desc, eq, gt, inArray } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_moves } from '#dashboard/kernel/db/moves-schema.ts'
import type { OperationRow, ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { MoveRow } from '#dashboard/kernel/targets/moves.queries.ts'
import { isUnfinished, nextRetryTime } from './move-state.ts'

export interface OpenMove {
  row: MoveRow
  /** The last operation, which has ended. */
  operation: OperationRow
  site: SiteRow
  server: ServerRow
  next_at: string | null
}

const MOVE_TYPES = ['site.move', 'site.move-back', 'site.move-confirm'] as const
const ENDED = ['failed', 'cancelled'] as const

/** Lists the moves whose last operation has ended and left something; of a site, or all. */
export async function listUnfinishedMoves(db: Database, site_id?: number): Promise<OpenMove[]> {
  const ended = inArray(operations.status, [...ENDED])
  const rows = await db.read
    .select({ row: site_moves, operation: operations, site: sites, server: servers })
    .from(site_moves)
    .innerJoin(operations, eq(operations.id, site_moves.operation_id))
    .innerJoin(sites, eq(sites.id, site_moves.site_id))
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(and(ended, site_id === undefined ? undefined : eq(site_moves.site_id, site_id)))
  const open = rows.filter(({ row }) => isUnfinished(row))
  return Promise.all(open.map(async (one) => ({ ...one, next_at: await nextAt(db, one) })))
}

/** Returns the next retry after the newest operation, which may not have changed the row. */
async function nextAt(
  db: Database,
  { row, operation }: Pick<OpenMove, 'row' | 'operation'>,
): Promise<string | null> {
  const later = await db.read
    .select({ finished_at: operations.finished_at, actor: operations.actor })
    .from(operations)
    .where(
      and(
        eq(operations.site_id, row.site_id),
        inArray(operations.type, [...MOVE_TYPES]),
        inArray(operations.status, [...ENDED]),
        gt(operations.created_at, operation.created_at),
      ),
    )
    .orderBy(desc(operations.created_at), desc(operations.id))
  const ended_at = later[0]?.finished_at ?? operation.finished_at
  const unrecorded = later.filter(({ actor }) => actor === null).length
  return ended_at === null ? null : nextRetryTime(row, ended_at, unrecorded)
}
