import { type NotConnected, unreachable } from '#dashboard/kernel/agents/agent-errors.ts'
import {
  type AgentAddress,
  plainTransport,
  type Transports,
} from '#dashboard/kernel/agents/transport.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { offline, type ServiceError } from '#shared/kernel/errors.ts'
import type { AddressRules } from './addresses.ts'
import { explainCertificate } from './explain-certificate.ts'
import type { Keyring } from './keyring.ts'
import { type PinnedDeps, PinnedTransport } from './pinned-transport.ts'
import { findObstacle } from './probe-connection.ts'
import { findAgent } from './queries.ts'

interface Deps extends Omit<PinnedDeps, 'key'> {
  db: Database
  keys: Keyring
  marks: Marks
}

const CHANGED =
  'The record of its agent was changed outside of the dashboard: enrol the server again'

/** Returns why no request can be sent to an agent, as a connection shows; else undefined. */
export async function obstacleTo(
  transports: Transports,
  to: AgentAddress,
  rules: AddressRules,
): Promise<ServiceError | undefined> {
  try {
    const { speaks } = await transports(to)
    return await findObstacle(to, rules, { speaks })
  } catch (error) {
    return unreachable(to, error)
  }
}

/** Makes one transport to each agent, kept while address and certificate are unchanged. */
export function makeTransports(deps: Deps): Transports {
  const known = new Map<number, PinnedTransport>()
  return async (to: AgentAddress) => {
    const agent = await findAgent(deps.db, to.id)
    if (agent && !deps.marks.fits('server_agents', agent)) throw offline(CHANGED)
    const before = known.get(to.id)
    const key = agent && (await deps.keys.get(agent.kid))
    if (agent && key && before?.certificate === agent.certificate && before.leadsTo(to))
      return before.signingWith(key, agent.until)
    before?.close()
    known.delete(to.id)
    if (!agent || !key) return plainTransport(to, deps.rules.production)
    const explain = (address: AgentAddress, error: NotConnected) =>
      explainCertificate(deps.db, address, error, deps.rules)
    const made = new PinnedTransport({ ...deps, key, explain }, to, agent)
    known.set(to.id, made)
    return made.signingWith(key, agent.until)
  }
}
