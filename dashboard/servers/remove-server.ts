import type { Base } from '#dashboard/db/base.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import type { Worker } from '#dashboard/operations/worker.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { conflict } from '#shared/errors.ts'
import { deleteServer } from './queries.ts'

interface Deps extends Pick<Base, 'db' | 'clock'> {
  worker: Worker
  scheduler: { remove(server_id: number): void }
}

/** Forgets the server and its sites; the machine is not touched. 409 while an operation is running. */
export async function removeServer(deps: Deps, server: ServerRow, user_id: number): Promise<void> {
  const { id } = server
  const created_at = timestamp(deps.clock)
  if (!(await deleteServer(deps.db, server, { user_id, created_at })))
    throw conflict('An operation of the server is running')
  deps.scheduler.remove(id)
  deps.worker.cancel((job) => job.server_id === id)
}
