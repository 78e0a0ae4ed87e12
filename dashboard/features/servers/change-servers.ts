import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import type { Worker } from '#dashboard/kernel/engine/worker.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { CreateServer, UpdateServer } from '#shared/servers/api/servers.ts'
import { deleteServer, insertServer, updateServer } from './queries.ts'

export interface ChangeDeps extends Pick<CommonDeps, 'db' | 'clock' | 'bus'> {
  worker: Worker
  scheduler: { add(server_id: number): void; remove(server_id: number): void }
}

/** Creates a server, whose agent is contacted in the background. */
export async function createServer(
  { db, clock, scheduler }: ChangeDeps,
  { name, ...rest }: CreateServer,
  user_id: number,
) {
  const values = { ...rest, name: name ?? rest.hostname.slice(0, 64), created_at: timestamp(clock) }
  const server = await insertServer(db, values, user_id)
  scheduler.add(server.id)
  return server
}

/** Changes a server; omitted fields stay. Grants on a tag are of its servers from then on. */
export async function changeServer(
  { db, clock, bus }: ChangeDeps,
  server: ServerRow,
  input: UpdateServer,
  user_id: number,
) {
  const values = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  )
  const { id: server_id, hostname } = server
  const entry = { type: 'server.update', domain: input.hostname ?? hostname, server_id, user_id }
  const updated = await updateServer(db, server_id, values, entryOf(clock, entry))
  if (input.tags) bus.notify(SESSIONS_NEWS)
  return updated
}

/** Deletes the records of the server and its sites; the machine is not touched. 409 while an operation is running. */
export async function removeServer(
  { db, clock, scheduler, worker }: ChangeDeps,
  server: ServerRow,
  user_id: number,
): Promise<void> {
  if (!(await deleteServer(db, server, { user_id, created_at: timestamp(clock) })))
    throw conflict('An operation of the server is running')
  scheduler.remove(server.id)
  worker.cancel((job) => job.server_id === server.id)
}
