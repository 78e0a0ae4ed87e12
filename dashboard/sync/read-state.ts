import type { Agents } from '#dashboard/agents/agents.ts'
import type { MissingCalls } from '#dashboard/agents/missing-calls.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import type { Base } from '#dashboard/db/base.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { Metrics, State } from '#shared/agent.ts'
import { ServiceError } from '#shared/errors.ts'
import type { KnownStates } from './known-states.ts'

interface Deps {
  agents: Agents
  states: KnownStates
  missing: MissingCalls
  contact_ms: number
}

/**
 * One call for the metrics and the version of the state of a server; of an older or slow agent the
 * metrics only. Throws offline.
 */
export async function readState(deps: Deps, to: Address): Promise<State> {
  const { agents, states, missing, contact_ms } = deps
  if (states.avoids(to.id)) return readMetrics(deps, to)
  try {
    const asked = () => agents.get(to, '/state', State, contact_ms)
    return await missing.send(to.id, '/state', asked)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'not_found') return readMetrics(deps, to)
    // A slow one answers the next call for its metrics.
    states.avoid(to.id)
    throw error
  }
}

/**
 * The same of an agent with nothing but its contract, whose lists are compared with those of its last
 * sync; of another agent without a version, what it has answered.
 */
export async function withDigest(deps: Deps, to: Address, state: State): Promise<State> {
  const { agents, missing } = deps
  const isPlain = missing.has(to.id, '/state') && missing.has(to.id, '/report')
  if (state.version !== null || !isPlain) return state
  try {
    const services = await agents.digest(to, '/services')
    return { ...state, version: `${services} ${await agents.digest(to, '/sites')}` }
  } catch {
    return state
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
  const isSame = version !== null && deps.states.see(to.id, version)
  const synced_at = isSame ? timestamp(deps.clock) : undefined
  return { metrics, synced_at }
}
