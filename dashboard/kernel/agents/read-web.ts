import type { UnnamedSite } from '#shared/kernel/found-site.ts'
import type { Web, WebProgram } from '#shared/servers/agent.ts'
import type { ServerWeb, UnnamedSiteView } from '#shared/sites/api/web.ts'
import { webReading } from '#shared/sites/readings.ts'
import type { Agents } from './agents.ts'
import type { AgentAddress } from './transport.ts'

const MAX_UNNAMED = 100
const MAX_NAMES = 20

/** Reads the web servers and the sites without a domain; undefined when not reported. */
export async function readWeb(
  agents: Pick<Agents, 'call'>,
  to: AgentAddress,
): Promise<ServerWeb | undefined> {
  const web = await agents.call(to, webReading, {}).catch(() => undefined)
  return web && storedWebOf(web)
}

export const storedWebOf = ({ programs, unnamed }: Web): ServerWeb => ({
  programs: programs.map(programOf),
  unnamed: unnamed.slice(0, MAX_UNNAMED).map(unnamedOf),
  unnamed_total: unnamed.length,
})

/** Orders the fields: records are compared as text. */
const programOf = ({ program, ports, understood, reason }: WebProgram) => ({
  program: publicWebOf(program),
  ports,
  understood,
  reason,
})

const publicWebOf = (program: string) => program.replace(/[^\w.+ -]/g, '')

function unnamedOf(site: UnnamedSite): UnnamedSiteView {
  const { names = [], closed = false, unknown = {}, docroot, user, php } = site
  const { tls, framework, wp_version } = site
  return {
    names: names.slice(0, MAX_NAMES),
    closed,
    docroot,
    user,
    php,
    tls,
    framework,
    wp_version,
    unknown,
  }
}

/** Describes the same for the log of a sync. */
export function* webLogLines({ programs, unnamed_total }: ServerWeb): Generator<string> {
  if (unnamed_total === 1) yield 'Found 1 site that has no domain and is not listed'
  if (unnamed_total > 1) yield `Found ${unnamed_total} sites that have no domain and are not listed`
  for (const { program, ports, understood } of programs) {
    if (understood) continue
    const name = program || 'another program'
    yield `Sites of ${name} on port ${ports.join(' and ')} are not listed: only sites of nginx, Apache, Caddy and OpenLiteSpeed can be found`
  }
}
