import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { getOperation } from '#dashboard/kernel/engine/queries.ts'
import { getView } from '#dashboard/kernel/engine/views.queries.ts'
import type { Worker } from '#dashboard/kernel/engine/worker.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { cancelTopic } from './cancel-request.ts'
import { type CancelMode, recordCancelRequest } from './queries.ts'

export interface CancelDeps extends Pick<CommonDeps, 'db' | 'bus' | 'clock'> {
  worker: Worker
}

/** Requests the end, as the agent decides. Throws 404 for an unknown, 409 for an ended one. */
export async function cancelOperation(
  { db, bus, clock, worker }: CancelDeps,
  id: string,
  { mode, actor }: { mode: CancelMode; actor: number | null },
) {
  const { domain, server_id } = await getOperation(db, id)
  const entry = entryOf(clock, { type: 'operation.cancel', domain, server_id, user_id: actor })
  if (!(await recordCancelRequest(db, id, mode, entry)))
    throw conflict('The operation has ended already')
  worker.start(await getOperation(db, id))
  bus.notify(cancelTopic(id))
  return getView(db, id)
}
