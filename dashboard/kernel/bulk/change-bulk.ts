import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { activityStatement } from '#dashboard/kernel/activity/queries.ts'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import {
  type CancelDeps,
  cancelOperation,
} from '#dashboard/kernel/engine/cancel/cancel-operation.ts'
import { conflict, notFound, ServiceError } from '#shared/kernel/errors.ts'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import {
  applyBulkChange,
  type BulkState,
  bulkStatement,
  cancelWaitingItems,
  readBulkState,
} from './progress.queries.ts'
import { getBulkView } from './queries.ts'
import { BULK_NEWS, type BulkRunner } from './runner.ts'

export type ChangeBulkDeps = CancelDeps & { bulks: BulkRunner }

/** Cancels a bulk operation with its waiting and running items. Throws 409 when it has ended. */
export async function cancelBulk(
  deps: ChangeBulkDeps,
  id: string,
  { force, actor }: { force: boolean; actor: number },
): Promise<BulkOperationView> {
  await changeBulk(deps, id, (state) => {
    if (state.bulk.finished_at !== null) throw conflict('The bulk operation has ended already')
    if (state.bulk.status === 'cancelled') return undefined
    const message = `Cancelled: ${state.counts.waiting} were not started`
    return {
      data: { message, status: 'cancelled' },
      statements: (queries) => [
        cancelWaitingItems(queries, id),
        bulkStatement(queries, id, { status: 'cancelled', reason: '' }),
        activityStatement(queries, entryOf(deps.clock, { type: 'bulk.cancel', user_id: actor })),
      ],
    }
  })
  if (force) await forceStarted(deps, id, actor)
  return wakeBulk(deps, id)
}

/** Resumes a bulk operation. Throws 409 unless it is paused. */
export async function resumeBulk(
  deps: ChangeBulkDeps,
  id: string,
  actor: number,
): Promise<BulkOperationView> {
  await changeBulk(deps, id, ({ bulk }) => {
    if (bulk.status !== 'paused') throw conflict('The bulk operation is not paused')
    return {
      data: { message: 'Resumed', status: 'running' },
      statements: (queries) => [
        bulkStatement(queries, id, { status: 'running', reason: '' }),
        activityStatement(queries, entryOf(deps.clock, { type: 'bulk.resume', user_id: actor })),
      ],
    }
  })
  return wakeBulk(deps, id)
}

interface BulkChange {
  data: Record<string, unknown>
  statements(queries: Queries): Statement[]
}

/** Decides again if the records changed meanwhile. Undefined when there is nothing to do. */
async function changeBulk(
  { db, bus }: ChangeBulkDeps,
  id: string,
  decide: (state: BulkState) => BulkChange | undefined,
): Promise<void> {
  for (;;) {
    const state = await readBulkState(db, id)
    if (!state) throw notFound('Bulk operation')
    const decided = decide(state)
    if (!decided) return
    const { data, statements } = decided
    if (await applyBulkChange(db, state, [{ event: 'log', data }], statements))
      return bus.notify(id)
  }
}

async function forceStarted(deps: ChangeBulkDeps, id: string, actor: number): Promise<void> {
  const state = await readBulkState(deps.db, id)
  for (const { operation } of state?.started ?? []) {
    if (!operation) continue
    await cancelOperation(deps, operation.id, { mode: 'forced', actor }).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error
    })
  }
}

async function wakeBulk(
  { db, bus, bulks }: ChangeBulkDeps,
  id: string,
): Promise<BulkOperationView> {
  bulks.start(id)
  bus.notify(BULK_NEWS)
  return getBulkView(db, id)
}
