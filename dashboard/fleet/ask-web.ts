import { Web } from '#shared/agent.ts'
import type { Agents } from './agents.ts'

type Address = Parameters<Agents['get']>[0]

/** What of a server is in no list of sites, in lines. None: the agent is one that does not report it. */
export async function askWeb(agents: Agents, to: Address): Promise<string[]> {
  const web = await agents.get(to, '/web', Web).catch(() => undefined)
  const strange = (web?.programs ?? []).filter(({ understood }) => !understood)
  const unnamed = web?.unnamed.length ?? 0
  return [
    ...(unnamed > 0 ? [`Found ${unnamed} sites that have no domain and are not listed`] : []),
    ...strange.map(
      ({ program, ports }) =>
        `Sites of ${program.replace(/[^\w.+-]/g, '') || 'another program'} on port ${ports.join(' and ')} are not found: only nginx, Apache, Caddy and OpenLiteSpeed are understood`,
    ),
  ]
}
