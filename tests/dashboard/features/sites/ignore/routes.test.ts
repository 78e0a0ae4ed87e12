import { describe, expect } from 'bun:test'
import {
  type Dashboard,
  makeDashboard,
  agentTest as test,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

const PLACE = '/api/servers/1/sites/1/ignored'
const ignore = (dashboard: Dashboard, ignored: unknown = true) =>
  dashboard.call('PUT', PLACE, { ignored })

const sync = async (dashboard: Dashboard) =>
  (await dashboard.send('POST', '/api/servers/1/sync')).text()

async function withFound(dashboard: Dashboard, agent: FakeAgent) {
  agent.sites = [found('plain.example')]
  const server = await dashboard.addServer(agent)
  await sync(dashboard)
  return server
}

/** Everywhere that sites are listed or counted. */
async function shown(dashboard: Dashboard) {
  const get = async (path: string) => (await dashboard.call('GET', path)).body
  const { servers, counts, attention } = await get('/api/fleet')
  const { server } = await get('/api/fleet/servers/1')
  return {
    fleet: (await get('/api/fleet/sites')).total,
    ids: (await get('/api/fleet/sites/ids')).total,
    palette: (await get('/api/fleet/sites?q=plain')).total,
    list: (await get('/api/servers/1/sites')).sites.length,
    sites_count: [servers[0].sites_count, server.sites_count],
    statuses: [counts.sites, server.sites],
    updates: [counts.updates, server.updates],
    attention: attention.map(({ kind }: { kind: string }) => kind),
    ignored: (await get('/api/fleet/sites?ignored=true')).total,
  }
}

const SHOWN = {
  ...{ fleet: 1, ids: 1, palette: 1, list: 1, sites_count: [1, 1], ignored: 0 },
  ...{ statuses: [{ active: 1 }, { active: 1 }], updates: [1, 1], attention: ['updates'] },
}
const HIDDEN = {
  ...{ fleet: 0, ids: 0, palette: 0, list: 0, sites_count: [0, 0], ignored: 1 },
  ...{ statuses: [{}, {}], updates: [0, 0], attention: [] },
}

describe('ignoring a discovered site', () => {
  test('hides it from lists, counts and the overview, and can be undone', async ({
    agent,
    dashboard,
  }) => {
    await withFound(dashboard, agent)
    expect<unknown>(await shown(dashboard)).toEqual(SHOWN)

    const answer = await ignore(dashboard)

    const site = { id: 1, domain: 'plain.example' }
    expect(answer).toEqual({ status: 200, body: { site: { ...site, ignored: true } } })
    expect<unknown>(await shown(dashboard)).toEqual(HIDDEN)
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect([body.site.ignored, body.site.found]).toEqual([true, true])

    expect((await ignore(dashboard, false)).body).toEqual({ site: { ...site, ignored: false } })
    expect<unknown>(await shown(dashboard)).toEqual(SHOWN)
  })

  test('survives a sync that changes or misses the site', async ({ agent, dashboard }) => {
    await withFound(dashboard, agent)
    await ignore(dashboard)

    agent.sites = [found('plain.example', { php: '8.4' })]
    await sync(dashboard)
    expect<unknown>(await shown(dashboard)).toEqual(HIDDEN)

    agent.sites = []
    await sync(dashboard)
    expect<unknown>(await shown(dashboard)).toEqual(HIDDEN)
  })

  test('is an entry of the activity, and one only', async ({ agent, dashboard }) => {
    await withFound(dashboard, agent)

    for (const ignored of [true, true, false, false]) await ignore(dashboard, ignored)

    const { body } = await dashboard.call('GET', '/api/activity?domain=plain.example')
    expect(body.activities.map(({ type }: { type: string }) => type)).toEqual([
      'site.unignore',
      'site.ignore',
    ])
  })

  test.each([
    [{}, 'Ignored is required'],
    [{ ignored: 'yes' }, 'Must be true or false'],
  ])('%j is 422', async ({ agent, dashboard }, input, rule) => {
    await withFound(dashboard, agent)

    expect(await dashboard.call('PUT', PLACE, input)).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields: { ignored: [rule] } },
    })
  })

  test('is refused for a managed site', async ({ agent, dashboard }) => {
    await dashboard.addServer(agent)
    await dashboard.call('POST', '/api/servers/1/sites', { domain: 'made.example' })
    await until(
      async () => (await dashboard.call('GET', '/api/fleet/sites/1')).body.site.status === 'active',
    )

    expect(await ignore(dashboard)).toEqual({
      status: 409,
      body: {
        error: 'Conflict',
        message: 'made.example is managed: only a discovered site can be ignored',
      },
    })
  })

  test('reserves its name on its server, as the refusal says', async ({ agent, dashboard }) => {
    await withFound(dashboard, agent)
    await ignore(dashboard)

    const { body } = await dashboard.call('POST', '/api/servers/1/sites', {
      domain: 'www.plain.example',
    })

    expect(body.fields).toEqual({
      domain: ['The domain is already taken by an ignored site that was found on this server'],
    })
  })
})

describe('a name on two servers', () => {
  test('is listed and on the overview until one of them is ignored', async () => {
    await using agent = new FakeAgent()
    await using other = new FakeAgent()
    await using dashboard = await makeDashboard()
    await withFound(dashboard, agent)
    await dashboard.addServer(other)
    await dashboard.call('POST', '/api/servers/2/sites', { domain: 'plain.example' })
    const get = async (path: string) => (await dashboard.call('GET', path)).body
    await until(async () => (await get('/api/fleet/sites/2')).site.status === 'active')
    const conflicts = async () => {
      const { attention } = await get('/api/fleet')
      return attention.find(({ kind }: { kind: string }) => kind === 'name_conflict')
    }

    expect((await get('/api/fleet/sites?conflict=true')).total).toBe(2)
    const info = await conflicts()
    expect([info.severity, info.total, info.items[0].site_id]).toEqual(['info', 1, 1])
    const query = new URLSearchParams(info.query)
    expect((await get(`/api/fleet/sites?${query}`)).total).toBe(1)

    await ignore(dashboard)
    expect(await conflicts()).toBeUndefined()
    expect((await get('/api/fleet/sites/2')).site.also_on).toEqual([])
  })

  test('is reported with the plan of a new site', async () => {
    await using agent = new FakeAgent()
    await using other = new FakeAgent()
    await using dashboard = await makeDashboard()
    await withFound(dashboard, agent)
    await dashboard.addServer(other)

    const { body } = await dashboard.call('POST', '/api/servers/2/sites', {
      ...{ domain: 'www.plain.example', dry_run: true },
    })

    expect(body.also_on).toEqual([{ site_id: 1, server_id: 1, server: '127.0.0.1' }])
  })
})
