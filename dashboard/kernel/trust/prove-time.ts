import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { keysReading } from '#shared/servers/keys.readings.ts'
import { listWitnesses } from './queries.ts'

type Deps = Pick<CommonDeps, 'db'> & { agents: Agents }

const MAX_WITNESSES = 3

/**
 * Whether an agent accepts a request that is signed with the current time, which it compares with
 * its own clock. It is true for a dashboard without agents.
 */
export async function proveTime({ db, agents }: Deps): Promise<boolean> {
  const witnesses = await listWitnesses(db, MAX_WITNESSES)
  if (witnesses.length === 0) return true
  const asked = witnesses.map((server) => agents.call(server, keysReading, {}))
  return Promise.any(asked).then(
    () => true,
    () => false,
  )
}
