import { entryOf } from '#dashboard/activity/entry.ts'
import type { Base } from '#dashboard/db/base.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import type { UpdateServer } from '#shared/api/servers.ts'
import { updateServer } from './queries.ts'

type Deps = Pick<Base, 'db' | 'clock'>

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
  const { id: server_id, hostname } = server
  const entry = { type: 'server.update', domain: input.hostname ?? hostname, server_id, user_id }
  return updateServer(db, server_id, values, entryOf(clock, entry))
}
