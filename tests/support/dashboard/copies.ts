import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { TimeLimits } from '#dashboard/kernel/runtime/time-limits.ts'
import { backupAgent, checkedTarget, confirmKit } from './backups.ts'
import { makeDashboard, until } from './dashboard.ts'

export const ADDRESSES = {
  replaced: 1204,
  left: [
    {
      ...{ table: 'wp_options', column: 'option_value', reason: 'base64', count: 3 },
      examples: ['aHR0cHM6Ly9zaG9wLmV4YW1wbGU='],
    },
  ],
}

/** An agent that also makes copies, and the params it received. */
export function copyingAgent() {
  const made = backupAgent({ now: () => new Date() })
  const { agent, given } = made
  agent.works.set('site.clone', async function* (params) {
    given.push({ 'site.clone': params })
    yield 'Copying the files'
    const sizes = { files: 10, bytes: 2000, tables: 12 }
    const at = '2026-01-01T00:00:00.000Z'
    return { status: 'ok', domain: params.domain, at, ...sizes, addresses: ADDRESSES }
  })
  return made
}

/** A dashboard with two servers of one agent each, and the site shop.example on the first. */
export async function twoServers({
  ready = true,
  limits = {},
  clock,
}: {
  ready?: boolean
  limits?: Partial<TimeLimits>
  clock?: Clock
} = {}) {
  const [one, two] = [copyingAgent(), copyingAgent()]
  const dashboard = await makeDashboard({ limits, ...(clock && { clock }) })
  const first = await dashboard.addServer(one.agent)
  const { body } = await dashboard.call('POST', '/api/servers', {
    ...{ hostname: 'localhost', port: two.agent.port },
  })
  const second: number = body.server.id
  const site = async (id: number) =>
    (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site
  const add = async (domain: string): Promise<number> => {
    const made = await dashboard.call('POST', `/api/servers/${first}/sites`, {
      ...{ domain, php: '8.2', tier: 'medium', tls: 'none', email: 'owner@shop.example' },
    })
    await until(async () => (await site(made.body.site.id)).status === 'active')
    return made.body.site.id
  }
  const shop = await add('shop.example')
  if (ready) {
    await confirmKit(dashboard)
    await checkedTarget(dashboard, first)
  }
  one.given.length = 0
  const clone = (server_id: number, input: object) =>
    dashboard.call('POST', `/api/servers/${server_id}/sites/clone`, input)
  const end = async () => {
    await dashboard[Symbol.asyncDispose]()
    await Promise.all([one, two].map(({ agent }) => agent[Symbol.asyncDispose]()))
  }
  return { dashboard, one, two, first, second, shop, site, clone, [Symbol.asyncDispose]: end }
}
