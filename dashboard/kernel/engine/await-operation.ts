import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { cancelRequested } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import { cancelledError } from '#shared/kernel/errors.ts'
import type { AttemptContext } from './operation-handle.ts'
import { findOperation } from './queries.ts'
import type { Worker } from './worker.ts'

type Deps = Pick<CommonDeps, 'db' | 'bus'> & { worker: Worker }

/**
 * Waits for the end of another operation, whatever its outcome is. Throws when the operation that
 * waits is cancelled, or when this process stops.
 */
export async function awaitOperation(
  { db, bus, worker }: Deps,
  other: OperationRow,
  { id }: Pick<OperationRow, 'id'>,
  { signal, accept }: Pick<AttemptContext, 'signal' | 'accept'>,
): Promise<void> {
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const cancelled = cancelRequested({ db, bus }, id, stop).then(() => !stop.aborted)
  const handle = worker.start(other)
  // Its agent may have taken it: it is asked again, and this one waits.
  const unanswered = async () => {
    if ((await findOperation(db, other.id))?.finished_at === null) accept()
  }
  handle.accepted.then(accept, unanswered).catch(() => undefined)
  const finished = handle.finished.then(
    () => false,
    () => false,
  )
  const isCancelled = await Promise.race([cancelled, finished])
  over.abort()
  if (signal.aborted) throw new Error('The operation was dropped')
  if (isCancelled) throw cancelledError()
}
