import { describe, expect, test } from 'bun:test'
import { getServer } from '#dashboard/db/targets.ts'
import { readMinute } from '#dashboard/sync/read-state.ts'
import { backgroundSync } from '#dashboard/sync/run-sync.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent, noSuchCall } from '#tests/support/fake-agent.ts'
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
  agent.state = 'v1'
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

const ONE = ['GET /state']
/** The fake agent lacks the last two. */
const REST = ['GET /report', 'GET /web', 'GET /mail']
const WHOLE = ['GET /state', ...REST]

/** What the contract of an agent does not have. */
const PARTS = [
  'web',
  'trash',
  'certificates',
  'usage',
  'maintenance',
  'mail',
  'job-troubles',
  'logins',
].map((name) => `/${name}`)
const LISTS = ['GET /metrics', 'GET /services', 'GET /sites']

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

  test('reads everything when the state has changed, until nothing changes any more', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { sync, asked, domains } = world
    agent.sites = [found('shop.example'), found('blog.example')]
    agent.state = 'v2'

    const first = await asked(sync)
    const names = await domains()
    await sync()
    await sync()

    expect(first).toEqual(WHOLE)
    expect(names.sort()).toEqual(['blog.example', 'shop.example'])
    expect(await asked(sync)).toEqual(ONE)
  })

  test.each([
    ['has no version', ({ metrics }: FakeAgent) => Response.json({ metrics, version: null })],
    ['is unknown to the agent', () => Response.json({ error: 'Not found' }, { status: 404 })],
    ['cannot be read', () => Response.json({}, { status: 500 })],
  ])('reads everything when the state %s', async (_, answer) => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { sync, asked } = world
    agent.answers.set('/state', () => answer(agent))

    expect(await asked(sync)).toContain('GET /report')
  })

  test('compares the lists of an agent with nothing but its contract', async () => {
    await using agent = new FakeAgent()
    for (const path of ['/state', '/report', ...PARTS]) agent.answers.set(path, noSuchCall)
    await using world = await synced(agent)
    const { sync, asked, domains } = world
    const before = await asked(sync)
    agent.sites = [found('shop.example'), found('blog.example')]

    const changed = await asked(sync)

    expect(before).toEqual(LISTS)
    expect(changed).toEqual([...LISTS, 'GET /services', 'GET /sites'])
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

    expect(await asked(sync)).toEqual(WHOLE)
  })

  test('reads everything that a user asks for', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { dashboard, server, asked } = world
    const request = () =>
      dashboard.send('POST', `/api/servers/${server}/sync`).then((answer) => answer.text())

    expect(await asked(request)).toEqual(['GET /metrics', ...REST])
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

describe('the reading of a minute', () => {
  test('is one call, and tells whether the next sync is needed', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { dashboard, server, asked } = world
    const to = { id: server, hostname: '127.0.0.1', port: agent.port }
    const read = () => readMinute({ ...dashboard.deps, contact_ms: 5000 }, to, true)
    const seen: unknown[] = []

    const calls = await asked(async () => seen.push(await read()))
    agent.state = 'v2'
    seen.push(await read())

    expect(calls).toEqual(ONE)
    expect(seen).toEqual([
      { metrics: agent.metrics, synced_at: expect.any(String) },
      { metrics: agent.metrics, synced_at: undefined },
    ])
  })

  test('of an older agent asks for the state once', async () => {
    await using agent = new FakeAgent()
    await using world = await synced(agent)
    const { dashboard, server, asked } = world
    agent.state = undefined
    const to = { id: server, hostname: '127.0.0.1', port: agent.port }
    const read = () => readMinute({ ...dashboard.deps, contact_ms: 5000 }, to, true)

    const calls = await asked(async () => {
      await read()
      await read()
    })

    expect(calls).toEqual(['GET /state', 'GET /metrics', 'GET /metrics'])
  })
})
