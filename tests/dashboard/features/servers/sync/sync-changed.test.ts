// tier: gate
import { describe, expect, test } from 'bun:test'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

/** A dashboard with a server whose state is that of its last sync, and nothing asked since. */
async function synced(agent: FakeAgent) {
  const dashboard = await makeDashboard()
  const server = await dashboard.addServer(agent)
  const sync = () => backgroundSync(dashboard.deps, server)
  const asked = async (work: () => Promise<unknown>) => {
    agent.asked.length = 0
    await work()
    return [...agent.asked]
  }
  agent.sites = [found('shop.example')]
  // It is recorded, its columns are filled, and nothing changes.
  for (const _ of [1, 2, 3]) await sync()
  const domains = async () => {
    const { body } = await dashboard.call('GET', `/api/servers/${server}/sites`)
    return body.sites.map(({ domain }: { domain: string }) => domain)
  }
  return {
    ...{ dashboard, server, sync, asked, domains },
    [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose](),
  }
}

const ONE = ['GET /changes']
/** A whole sync after a call that has failed. */
const AGAIN = ['GET /changes', 'GET /metrics', 'GET /changes']

describe('a sync in the background', () => {
  test('is one call while the state of the server does not change', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { dashboard, server, sync, asked, domains } = world
    const synced_at = async () => (await getServer(dashboard.deps.db, server)).last_sync ?? ''
    const before = await synced_at()
    agent.metrics = { ...agent.metrics, cpu: 42 }

    expect(await asked(sync)).toEqual(ONE)

    const { body } = await dashboard.call('GET', `/api/servers/${server}`)
    expect(body.server.metrics.cpu).toBe(42)
    expect(await domains()).toEqual(['shop.example'])
    expect((await synced_at()) > before).toBe(true)
  })

  test('records another state with the call that has returned it', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { sync, asked, domains } = world
    agent.sites = [found('shop.example'), found('blog.example')]

    const first = await asked(sync)
    const names = await domains()

    expect(first).toEqual(ONE)
    expect(names.sort()).toEqual(['blog.example', 'shop.example'])
  })

  test.each([
    [
      'has no version',
      ({ metrics }: FakeAgent) =>
        Response.json({ metrics, versions: { state: null }, answers: {} }),
      ['GET /changes', 'GET /services', 'GET /sites'],
    ],
    ['is unknown to the agent', () => Response.json({}, { status: 404 }), AGAIN],
    ['cannot be read', () => Response.json({}, { status: 500 }), AGAIN],
  ])('reads everything when the state %s', async (_, answer, first) => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { sync, asked } = world
    agent.answers.set('/changes', () => answer(agent))

    expect((await asked(sync)).slice(0, 3)).toEqual(first)
  })

  test('compares one list after the other of an agent with nothing but its contract', async () => {
    await using agent = new FakeAgent()
    agent.metrics = { ...agent.metrics, protocol: undefined }
    await using world = await synced(agent)
    const { sync, asked, domains } = world
    const before = [await asked(sync), await asked(sync), await asked(sync), await asked(sync)]
    agent.sites = [found('shop.example'), found('blog.example')]

    const changed = [await asked(sync), await asked(sync)].flat()

    const turns = [
      ['GET /metrics', 'GET /services'],
      ['GET /metrics', 'GET /sites'],
    ]
    expect(before.toSorted()).toEqual([...turns, ...turns].toSorted())
    expect(changed.join()).toContain('GET /metrics,GET /sites,GET /services,GET /sites')
    expect((await domains()).sort()).toEqual(['blog.example', 'shop.example'])
  })

  test('reads everything after an operation, whatever its result', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { dashboard, server, sync, asked } = world
    agent.works.set('service.restart', async function* () {
      yield 'Restarting'
      throw new Error('refused')
    })
    await dashboard.send('POST', `/api/servers/${server}/services/restart`, { service: 'nginx' })

    const since = () => new URL(agent.urls.at(-1) ?? '').searchParams.get('since')
    expect([await asked(sync), since()]).toEqual([ONE, 'state.'])
  })

  test('reads everything that a user asks for', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { dashboard, server, asked } = world
    const request = () =>
      dashboard.send('POST', `/api/servers/${server}/sync`).then((answer) => answer.text())

    expect(await asked(request)).toEqual(['GET /metrics', ...ONE])
  })

  test('records that the server is unreachable', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { dashboard, server, sync } = world
    await agent.stop()

    for (const _ of [1, 2, 3]) await sync()

    const { body } = await dashboard.call('GET', `/api/fleet/servers/${server}`)
    expect(body.server.status).toBe('offline')
  })
})
