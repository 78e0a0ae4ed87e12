import type { Agents } from '#dashboard/agents/agents.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import { Conditions } from '#shared/agent.ts'
import type { ConditionsView } from '#shared/api/servers.ts'

interface Deps {
  agents: Agents
  contact_ms: number
}

/** The current report of the agent; an offline or older one returns nothing. */
export function showConditions(
  { agents, contact_ms }: Deps,
  server: ServerRow,
): Promise<ConditionsView> {
  return agents
    .get(server, '/conditions', Conditions, contact_ms)
    .catch(() => ({ conditions: null }))
}
