import { describe, expect, test } from 'bun:test'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent, METRICS } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

/** What a whole sync of a server asks, and the sites and the status that it records. */
async function syncOf(agent: FakeAgent) {
  await using dashboard = await makeDashboard()
  const server = await dashboard.addServer(agent)
  await backgroundSync(dashboard.deps, server)
  const { body } = await dashboard.call('GET', `/api/servers/${server}/sites`)
  const { server: row } = (await dashboard.call('GET', `/api/fleet/servers/${server}`)).body
  return {
    asked: [...agent.asked],
    sites: body.sites.map(({ domain, php }: FoundSite) => `${domain} ${php}`),
    status: row.status,
    services: row.services,
  }
}

const EACH = [
  ...['GET /services', 'GET /sites', 'GET /web', 'GET /trash', 'GET /certificates', 'GET /usage'],
  ...['GET /maintenance', 'GET /mail', 'GET /job-troubles', 'GET /logins'],
]
const NOTHING = { metrics: METRICS, versions: { state: null } }

/** One with a site and a service. */
function agentOf(): FakeAgent {
  const agent = new FakeAgent()
  agent.sites = [found('shop.example')]
  agent.services = [{ name: 'nginx', status: 'running' }]
  return agent
}

describe('a whole sync', () => {
  test('records the same with one answer as with a call for each part', async () => {
    await using agent = agentOf()
    await using slow = agentOf()
    slow.answers.set('/changes', () => Response.json({ ...NOTHING, answers: {} }))

    const [one, other] = [await syncOf(agent), await syncOf(slow)]

    const recorded = { sites: ['shop.example 8.2'], services: agent.services, status: 'online' }
    expect(one).toEqual({ asked: ['GET /metrics', 'GET /changes'], ...recorded })
    expect(other).toEqual({ asked: ['GET /metrics', 'GET /changes', ...EACH], ...recorded })
  })

  test.each([undefined, PROTOCOL + 1])(
    'is three calls to an agent of protocol %p, and records its sites',
    async (protocol) => {
      await using agent = agentOf()
      agent.metrics = { ...agent.metrics, protocol }

      const { asked, sites, status } = await syncOf(agent)

      expect({ asked, sites, status }).toEqual({
        asked: ['GET /metrics', 'GET /services', 'GET /sites'],
        sites: ['shop.example 8.2'],
        status: 'online',
      })
    },
  )

  test('follows the protocol of the agent, whatever it was before', async () => {
    await using agent = agentOf()
    agent.metrics = { ...agent.metrics, protocol: PROTOCOL + 1 }
    await using dashboard = await makeDashboard()
    const server = await dashboard.addServer(agent)
    await backgroundSync(dashboard.deps, server)
    agent.metrics = { ...METRICS }

    await backgroundSync(dashboard.deps, server)
    agent.asked.length = 0
    await backgroundSync(dashboard.deps, server)

    expect(agent.asked).toEqual(['GET /changes'])
  })

  test.each<[string, object]>([
    ['no changes', { answers: undefined, sites: [] }],
    ['a list of answers', { answers: [] }],
    ['services that are no services', { answers: { '/services': { services: [1] } } }],
    ['a list that is none', { answers: { '/sites': { sites: {} } } }],
    ['null instead of a list', { answers: { '/sites': null } }],
    ['an entry that is no site', { answers: { '/sites': { sites: [found('x.example'), {}] } } }],
    ['more than an answer may have', { answers: { '/web': 'x'.repeat(1 << 20) } }],
  ])('records nothing of %s', async (_, changes) => {
    await using agent = agentOf()
    agent.answers.set('/changes', () => Response.json({ ...NOTHING, ...changes }))

    const { sites, status } = await syncOf(agent)

    expect({ sites, status }).toEqual({ sites: [], status: 'pending' })
  })
})
