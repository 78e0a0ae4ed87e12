import type { Agents } from '#dashboard/agents/agents.ts'
import { hasOurProtocol } from '#dashboard/agents/protocol.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import type { State } from '#shared/agent.ts'
import { stateReading } from '#shared/readings/changes.ts'
import { metricsReading, servicesReading } from '#shared/readings/server.ts'
import { sitesReading } from '#shared/readings/sites.ts'
import type { KnownStates } from './known-states.ts'

interface Deps {
  agents: Agents
  states: Pick<KnownStates, 'find'>
}

/**
 * Reads the metrics and the version of the state of a server with one call. The version of an agent of
 * another protocol is that of its two lists, of which each sync compares one. Throws offline.
 */
export async function readState({ agents, states }: Deps, to: Address): Promise<State> {
  if (hasOurProtocol(to)) return agents.call(to, stateReading, {})
  const metrics = await agents.call(to, metricsReading, {})
  // The agent was upgraded.
  if (hasOurProtocol({ metrics })) return { metrics, version: null }
  const { version, times } = states.find(to.id) ?? {}
  const [services, sites] = version?.split(' ') ?? []
  const isSitesTurn = times === undefined || times % 2 === 0
  const lists = [
    services !== undefined && isSitesTurn ? services : await agents.digest(to, servicesReading),
    sites !== undefined && !isSitesTurn ? sites : await agents.digest(to, sitesReading),
  ]
  return { metrics, version: lists.join(' ') }
}
