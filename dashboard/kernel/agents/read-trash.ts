import { ServiceError } from '#shared/kernel/errors.ts'
import type { TrashedSite } from '#shared/servers/agent.ts'
import { trashReading } from '#shared/sites/readings.ts'
import type { Agents } from './agents.ts'
import type { CountedList } from './read-answer.ts'
import type { AgentAddress } from './transport.ts'

/** Reads the trash of a server; undefined when its agent has another protocol. */
export async function readTrash(
  agents: Pick<Agents, 'call'>,
  to: AgentAddress,
): Promise<CountedList<TrashedSite> | undefined> {
  try {
    return await agents.call(to, trashReading, {})
  } catch (error) {
    if (error instanceof ServiceError && error.refusal === 'upgrade_needed') return undefined
    throw error
  }
}

export async function findTrashedSite(
  agents: Pick<Agents, 'call'>,
  to: AgentAddress,
  domain: string,
): Promise<TrashedSite | undefined> {
  return (await readTrash(agents, to))?.entries.find((site) => site.domain === domain)
}
