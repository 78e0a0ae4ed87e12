import type { Agents } from '#dashboard/agents/agents.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import type { Base } from '#dashboard/db/base.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { Metrics, State } from '#shared/agent.ts'
import { ServiceError } from '#shared/errors.ts'
import type { KnownStates } from './known-states.ts'

interface Deps {
  agents: Agents
  states: KnownStates
  contact_ms: number
}

/**
 * One call for the metrics and the version of the state of a server; of an older or slow agent the
 * metrics only. Throws offline.
 */
export async function readState(deps: Deps, to: Address): Promise<State> {
  const { agents, states, contact_ms } = deps
  if (states.avoids(to.id)) return readMetrics(deps, to)
  try {
    return await agents.get(to, '/state', State, contact_ms)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // A slow one answers the next call for its metrics.
    states.avoid(to.id)
    if (error.code !== 'not_found') throw error
    return readMetrics(deps, to)
  }
}

async function readMetrics({ agents, contact_ms }: Deps, to: Address): Promise<State> {
  return { metrics: await agents.get(to, '/metrics', Metrics, contact_ms), version: null }
}

/** For the metrics of each minute: with the state if that saves the next sync. Throws offline. */
export async function readMinute(
  deps: Deps & Pick<Base, 'clock'>,
  to: Address,
  with_state: boolean,
): Promise<{ metrics: Metrics; synced_at?: string | undefined }> {
  if (!with_state) return { metrics: (await readMetrics(deps, to)).metrics }
  const { metrics, version } = await readState(deps, to)
  const synced_at = deps.states.see(to.id, version) ? timestamp(deps.clock) : undefined
  return { metrics, synced_at }
}
