import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { enqueue } from '#dashboard/kernel/engine/enqueue.ts'
import type { StartDeps } from '#dashboard/kernel/engine/start-operation.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { MAX_CLOCK_DIFFERENCE_MS } from '#shared/kernel/age.ts'
import { LeftCopies } from './move-row.ts'
import { isCopyDeleted, isNotForwarding, MAX_PAUSE_MS } from './move-state.ts'
import { findServer, isLost } from './queries.ts'
import { listUnfinishedMoves, type OpenMove } from './unfinished-moves.queries.ts'

/**
 * Ends moves that left something on a server that refused or was offline, without a user: an
 * undecided move is decided, and everything else is restored. No site moves by this.
 */
export async function retryDueMoves(deps: StartDeps & Pick<CommonDeps, 'log'>): Promise<void> {
  const now = deps.clock.now()
  for (const open of await listUnfinishedMoves(deps.db)) {
    const { next_at, site } = open
    if (next_at === null || isLater(next_at, now)) continue
    try {
      if (await areOnline(deps, open)) await retryMove(deps, open)
    } catch (error) {
      deps.log.error(`the move of ${site.domain} could not be repeated`, error)
    }
  }
}

/** Whether the time of a retry has not come; a longer pause is that of a wrong clock. */
function isLater(next_at: string, now: Date): boolean {
  const pause = Date.parse(next_at) - now.getTime()
  return pause > 0 && pause <= MAX_PAUSE_MS + MAX_CLOCK_DIFFERENCE_MS
}

async function areOnline({ db }: StartDeps, { row, server }: OpenMove): Promise<boolean> {
  const other = await findServer(db, row.other_id)
  if (server.status !== 'online') return false
  // A move back needs the server that does not come back; everything else ends without it.
  if (await isLost(db, row.other_id)) return row.moved_at === null || isCopyDeleted(row)
  if (other?.status !== 'online') return false
  const { left, settled, receiving, removed } = row.progress
  const isRemoved = receiving === undefined || removed !== undefined
  const ids = settled === undefined || !isRemoved ? [] : (LeftCopies.safeParse(left).data ?? [])
  const all = await Promise.all(ids.map((id) => findServer(db, id)))
  // Only the servers of earlier copies are left; one that was deleted needs nothing.
  return all.length === 0 || all.some((one) => one === undefined || one.status === 'online')
}

/**
 * Starts the operation that the row needs: the last one may be a confirmation that ended before it
 * started. A conflict means that the site has another operation, or that somebody was faster.
 */
async function retryMove(
  deps: StartDeps,
  { row, operation, site, server }: OpenMove,
): Promise<void> {
  const { id: retry_of, params } = operation
  const isBack = isNotForwarding(row) && !isCopyDeleted(row)
  const type = isBack ? 'site.move-back' : operation.type
  const given = type === operation.type ? params : { discard_changes: false }
  const work = { type, params: given, retry_of }
  const request = { ...work, server, site, actor: null, wait_for_agent: false }
  await enqueue(deps, request).catch((error: unknown) => {
    if (!isServiceError(error, 'conflict')) throw error
  })
}
