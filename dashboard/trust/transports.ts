import type { Database } from '#dashboard/db/client.ts'
import { type Address, plainTransport, type Transports } from '#dashboard/fleet/transport.ts'
import { type PinnedDeps, PinnedTransport } from './pinned.ts'
import { findAgent } from './queries.ts'

interface Deps extends PinnedDeps {
  db: Database
}

/** One way to each agent, kept as long as the server is where it was and has the same certificate. */
export function makeTransports(deps: Deps): Transports {
  const known = new Map<number, PinnedTransport>()
  return async (to: Address) => {
    const agent = await findAgent(deps.db, to.id)
    const before = known.get(to.id)
    if (agent && before?.certificate === agent.certificate && before.leadsTo(to)) return before
    before?.close()
    known.delete(to.id)
    if (!agent) return plainTransport(to, deps.rules.production)
    const made = new PinnedTransport(deps, to, agent)
    known.set(to.id, made)
    return made
  }
}
