import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { cancelRequested } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import { EventRecorder } from '#dashboard/kernel/engine/event-recorder.ts'
import type { AttemptContext, Outcome } from '#dashboard/kernel/engine/operation-handle.ts'
import { completeDataOf } from '#dashboard/kernel/engine/parse-result.ts'
import { markRunning } from '#dashboard/kernel/engine/progress.queries.ts'
import { NO_CHANGE } from '#dashboard/kernel/engine/rules.ts'
import { storeSuccess } from '#dashboard/kernel/engine/store-outcome.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { KeyedQueue } from '#dashboard/kernel/runtime/limit.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import { cancelledError, ServiceError } from '#shared/kernel/errors.ts'
import { type ComparedChanges, type SyncChangedDeps, syncChanged } from './sync-changed.ts'
import { syncServer } from './sync-server.ts'

export interface RunSyncDeps extends SyncChangedDeps {
  log: Log
  /** The queue of each server: one sync at a time. */
  syncs: KeyedQueue<number>
}

type SyncRun = ReturnType<typeof syncServer>

/** Runs a requested sync, which is a stored operation that the dashboard executes itself. */
export async function runSync(
  deps: RunSyncDeps,
  operation: OperationRow,
  context: AttemptContext,
): Promise<Outcome> {
  const { promise: turn, resolve: begins } = Promise.withResolvers<void>()
  const { promise: done, resolve: ends } = Promise.withResolvers<void>()
  const over = new AbortController()
  const cancelled = rejectOnCancel(deps, operation, over.signal)
  const server = await getServer(deps.db, operation.server_id)
  const work = syncServer(deps, server, { with_activity: false, signal: over.signal })
  void deps.syncs.run(server.id, () => {
    begins()
    return done
  })
  try {
    await Promise.race([turn, cancelled])
    return await streamSync(deps, operation, context, { work, cancelled })
  } finally {
    over.abort()
    void work
      .throw(new Error('over'))
      .catch(() => undefined)
      .finally(ends)
  }
}

/** Rejects on a cancel request, never resolves. */
function rejectOnCancel(deps: RunSyncDeps, { id }: OperationRow, signal: AbortSignal) {
  const cancelled = cancelRequested(deps, id, signal).then((): never => {
    throw cancelledError()
  })
  cancelled.catch(() => undefined)
  return cancelled
}

async function streamSync(
  deps: RunSyncDeps,
  operation: OperationRow,
  { accept }: AttemptContext,
  { work, cancelled }: { work: SyncRun; cancelled: Promise<never> },
): Promise<Outcome> {
  const recorder = await EventRecorder.open(deps, operation.id)
  try {
    let step = await Promise.race([work.next(), cancelled])
    await markStarted(deps, operation)
    accept()
    while (!step.done) {
      await recorder.log(step.value)
      step = await Promise.race([work.next(), cancelled])
    }
    const success = {
      data: completeDataOf('server.sync', { sites: step.value.sites }),
      change: NO_CHANGE,
    }
    return await storeSuccess(deps, operation, success, await recorder.takeUnstored())
  } catch (error) {
    await recorder.flush()
    throw error
  }
}

/** Marks a sync as started. It keeps its deadline: the next one follows anyway. */
function markStarted({ db, clock }: RunSyncDeps, { id, deadline_at }: OperationRow): Promise<void> {
  return markRunning(db, id, { started_at: timestamp(clock), deadline_at })
}

/**
 * Syncs a server for the scheduler, or for an answer with another state: without an operation, and
 * with an activity only when something changed. Returns whether the agent has answered.
 */
export function backgroundSync(
  deps: RunSyncDeps,
  server_id: number,
  compared?: ComparedChanges,
): Promise<boolean> {
  return deps.syncs.run(server_id, async () => {
    try {
      const server = await getServer(deps.db, server_id)
      await syncChanged(deps, server, compared)
      return true
    } catch (error) {
      if (error instanceof ServiceError) return false
      deps.log.error('sync failed', error, { server_id })
      return true
    }
  })
}
