import { ServiceError } from '#shared/kernel/errors.ts'
import type { TrashedSite } from '#shared/servers/agent.ts'
import { trashReading } from '#shared/sites/readings.ts'
import type { Agents } from './agents.ts'
import type { Listed } from './read-answer.ts'
import type { Address } from './transport.ts'

/** The trash of a server; undefined: its agent has another protocol. */
export async function askTrash(
  agents: Pick<Agents, 'call'>,
  to: Address,
): Promise<Listed<TrashedSite> | undefined> {
  try {
    return await agents.call(to, trashReading, {})
  } catch (error) {
    if (error instanceof ServiceError && error.refusal === 'upgrade_needed') return undefined
    throw error
  }
}

export async function inTrash(
  agents: Pick<Agents, 'call'>,
  to: Address,
  domain: string,
): Promise<TrashedSite | undefined> {
  return (await askTrash(agents, to))?.entries.find((site) => site.domain === domain)
}
