import type { Base } from '#dashboard/db/base.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { CreateServer } from '#shared/api/servers.ts'
import { insertServer } from './queries.ts'

interface Deps extends Pick<Base, 'db' | 'clock'> {
  scheduler: { add(server_id: number): void }
}

/** Answers at once; the first contact with the agent follows in the background. */
export async function createServer(deps: Deps, { name, ...rest }: CreateServer, user_id: number) {
  const created_at = timestamp(deps.clock)
  const values = { ...rest, name: name ?? rest.hostname.slice(0, 64), created_at }
  const server = await insertServer(deps.db, values, user_id)
  deps.scheduler.add(server.id)
  return server
}
