import { afterAll, beforeAll } from 'bun:test'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'
import { type Used, useDashboard } from '#tests/support/running.ts'
import { useBrowser } from './pages.ts'

/** A WordPress site as an agent finds it. */
export function foundSite(domain: string, more: Partial<FoundSite> = {}): FoundSite {
  const user = domain.split('.')[0] ?? domain
  const updates = { plugins: null, themes: null, core: null }
  return found(domain, { user, wp_version: '6.8.1', updates, ...more })
}

/** The sites that an agent has from now on; it has created all of them except for the named ones. */
export function reportSites(
  agent: FakeAgent,
  sites: FoundSite[],
  { foreign = [] }: { foreign?: readonly string[] } = {},
): void {
  agent.sites = sites
  const own = sites.filter(({ domain }) => !foreign.includes(domain))
  agent.usage = own.map(({ domain }) => created(domain))
}

/**
 * Adds the agent's machine as a server, and waits until its sites are stored, which count as
 * managed except for the named ones. From then on there are no automatic syncs.
 */
export async function addServer(
  { client }: Used,
  agent: FakeAgent,
  name: string,
  { foreign = [] }: { foreign?: readonly string[] } = {},
): Promise<void> {
  reportSites(agent, agent.sites, { foreign })
  await client().put('/api/settings/sync_interval', { value: 86_400 })
  const server = { name, hostname: '127.0.0.1', port: agent.port }
  const { body } = await client().post('/api/servers', server)
  const { id } = Object(Object(body).server)
  const { text } = await client().post(`/api/servers/${id}/sync`)
  if (!text.includes('event: complete')) throw new Error(`The sync of ${name} ended with ${text}`)
}

/**
 * For the tests of this file: a browser and a dashboard whose server web-1 has the agent, with what
 * the file has made it report before.
 */
export function useFleet({ agent = new FakeAgent() } = {}) {
  const dashboard = useDashboard()
  const open = useBrowser(dashboard)
  beforeAll(() => addServer(dashboard, agent, 'web-1'))
  afterAll(() => agent.stop())
  return { agent, dashboard, open }
}

/** The same, and the agent has created shop.example, which is the first site. */
export function useShop() {
  const fleet = useFleet()
  const shop = { domain: 'shop.example', php: '8.2', tls: 'none' }
  beforeAll(async () => void (await addSite(fleet.dashboard, '/api/servers/1/sites', shop)))
  return fleet
}

/** Waits until the operation has succeeded that a call has started. */
export async function completed(
  { client }: Used,
  { headers }: { headers: Headers },
): Promise<void> {
  const { text } = await client().get(`/api/operations/${headers.get('operation-id')}/events`)
  if (!text.includes('event: complete')) throw new Error(`The operation ended with ${text}`)
}

/** The id of a new site, when it is in use. */
export async function addSite({ client }: Used, path: string, body: object): Promise<number> {
  const { site } = Object((await client().post(path, body)).body)
  await until(async () => {
    const { body } = await client().get(`/api/fleet/sites/${site.id}`)
    return Object(body).site.status === 'active'
  })
  return site.id
}

/** An agent reports other facts of a site from now on. */
export function reportChange(agent: FakeAgent, domain: string, facts: Partial<FoundSite>): void {
  agent.sites = agent.sites.map((site) => (site.domain === domain ? { ...site, ...facts } : site))
}
