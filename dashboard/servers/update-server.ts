import type { Database } from '#dashboard/db/client.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import type { UpdateServer } from '#shared/api/servers.ts'
import { updateServer } from './queries.ts'

interface Deps {
  db: Database
  clock: Clock
}

/** Omitted fields stay. */
export async function changeServer(
  { db, clock }: Deps,
  server: ServerRow,
  input: UpdateServer,
  user_id: number,
) {
  const values = Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== undefined),
  )
  return updateServer(db, server.id, values, {
    type: 'server.update',
    domain: typeof values.hostname === 'string' ? values.hostname : server.hostname,
    status: 'success',
    server_id: server.id,
    user_id,
    created_at: timestamp(clock),
  })
}
