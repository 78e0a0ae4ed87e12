import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { keepPolicy } from '#dashboard/kernel/auth/policy.queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import type { Worker } from '#dashboard/kernel/engine/worker.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { CreateServer, UpdateServer } from '#shared/servers/api/servers.ts'
import { deleteServer, insertServer, updateServer } from './queries.ts'

export interface ChangeDeps extends Pick<CommonDeps, 'db' | 'clock' | 'bus'> {
  marks: Marks
  worker: Worker
  scheduler: { add(server_id: number): void; remove(server_id: number): void }
}

/**
 * Creates a server, whose agent is contacted in the background. Throws 409 for tags that would break a
 * rule of the access policy.
 */
export async function createServer(
  { db, marks, clock, scheduler }: ChangeDeps,
  { name, ...rest }: CreateServer,
  user_id: number,
) {
  const values = { ...rest, name: name ?? rest.hostname.slice(0, 64), created_at: timestamp(clock) }
  const added = { server_id: 0, name: values.name, tags: values.tags }
  const server = await keepPolicy({ db, marks }, { server: added }, (guard) =>
    insertServer(db, values, user_id, guard),
  )
  scheduler.add(server.id)
  return server
}

/**
 * Changes a server; omitted fields stay. Grants on a tag are of its servers from then on. Throws 409
 * for tags that would break a rule of the access policy.
 */
export async function changeServer(
  { db, marks, clock, bus }: ChangeDeps,
  server: ServerRow,
  input: UpdateServer,
  user_id: number,
) {
  const values = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  )
  const { id: server_id, hostname } = server
  const entry = { type: 'server.update', domain: input.hostname ?? hostname, server_id, user_id }
  const { tags, name = server.name } = input
  const change = tags ? { server: { server_id, name, tags } } : {}
  const updated = await keepPolicy({ db, marks }, change, (guard) =>
    updateServer(db, server_id, values, entryOf(clock, entry), guard),
  )
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
