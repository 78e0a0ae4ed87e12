import type { Database } from '#dashboard/db/client.ts'
import { getOperation, getView } from '#dashboard/operations/queries.ts'
import type { Worker } from '#dashboard/operations/worker.ts'
import type { Bus } from '#dashboard/runtime/bus.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import { conflict } from '#shared/errors.ts'
import { cancelTopic } from './cancel-request.ts'
import { type CancelMode, recordCancelRequest } from './queries.ts'

export interface CancelDeps {
  db: Database
  bus: Bus
  clock: Clock
  worker: Worker
}

/**
 * Requests the cancellation of an operation and answers immediately. The agent decides its end:
 * completed work is a success. 404 for an unknown one, 409 for an ended one.
 */
export async function cancelOperation(
  { db, bus, clock, worker }: CancelDeps,
  id: string,
  { mode, actor }: { mode: CancelMode; actor: number | null },
) {
  const { domain, server_id } = await getOperation(db, id)
  const recorded = await recordCancelRequest(db, id, mode, {
    type: 'operation.cancel',
    domain,
    status: 'success',
    server_id,
    user_id: actor,
    created_at: timestamp(clock),
  })
  if (!recorded) throw conflict('The operation has ended already')
  worker.start(await getOperation(db, id))
  bus.notify(cancelTopic(id))
  return getView(db, id)
}
