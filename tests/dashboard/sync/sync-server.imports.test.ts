import { describe, expect, test } from 'bun:test'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { found } from '#tests/support/dashboard/sites.ts'

const taken = {
  status: 422,
  body: { error: 'Validation failed', fields: { domain: ['The domain is already taken'] } },
}

async function sync(dashboard: Dashboard, server: number): Promise<string> {
  return (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
}

const create = (dashboard: Dashboard, server: number, domain: string) =>
  dashboard.call('POST', `/api/servers/${server}/sites`, { domain })

async function sitesIn(dashboard: Dashboard) {
  const { body } = await dashboard.call('GET', '/api/fleet/sites?sort=id&per_page=500')
  const { sites } = body as {
    sites: { domain: string; server_id: number; managed: boolean; status: string; also_on: [] }[]
  }
  return sites.map(({ domain, server_id, managed, also_on }) => ({
    ...{ domain, server_id, managed, also_on },
  }))
}

describe('the name of a discovered site', () => {
  test('is taken on its own server, including www., and free on every other one', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    agent.sites = [found('shop.example')]
    const first = await dashboard.addServer(agent)
    const second = await dashboard.addServer({ port: 1 })
    await sync(dashboard, first)

    for (const domain of ['shop.example', 'www.shop.example'])
      expect(await create(dashboard, first, domain)).toEqual(taken)
    const dry = { domain: 'shop.example', dry_run: true }
    expect(await dashboard.call('POST', `/api/servers/${first}/sites`, dry)).toEqual(taken)
    expect((await create(dashboard, second, 'www.shop.example')).status).toBe(201)
    expect(await create(dashboard, second, 'shop.example')).toEqual(taken)
    expect(await create(dashboard, first, 'www.shop.example')).toEqual(taken)

    const server = '127.0.0.1'
    expect<unknown>(await sitesIn(dashboard)).toEqual([
      {
        ...{ domain: 'shop.example', server_id: first, managed: false },
        also_on: [{ site_id: 2, server_id: second, server }],
      },
      {
        ...{ domain: 'www.shop.example', server_id: second, managed: true },
        also_on: [{ site_id: 1, server_id: first, server }],
      },
    ])
  })

  test('is recorded on a server also when another server has a site of that name', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const first = await dashboard.addServer({ port: 1 })
    const second = await dashboard.addServer(agent)
    await create(dashboard, first, 'shop.example')
    agent.sites = [found('shop.example')]

    await sync(dashboard, second)

    const { body } = await dashboard.call('GET', '/api/fleet/sites/2')
    expect(body.site).toMatchObject({ domain: 'shop.example', server_id: second, managed: false })
    expect(body.site.also_on).toEqual([{ site_id: 1, server_id: first, server: '127.0.0.1' }])
  })

  test('stays free when a foreign site in the trash has it', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const first = await dashboard.addServer(agent)
    const second = await dashboard.addServer({ port: 1 })
    const facts = { user: 'shop', size: 1, deleted_at: '2026-01-01T00:00:00.000Z' }
    const kind = { restorable: true, php: '8.4', tier: 'small', tls: 'none' } as const
    agent.trash = [{ domain: 'shop.example', ...facts, ...kind }]
    await sync(dashboard, first)

    expect((await create(dashboard, second, 'shop.example')).status).toBe(201)

    const site = async () => (await dashboard.call('GET', '/api/fleet/sites/1')).body.site
    await dashboard.call('POST', `/api/servers/${first}/sites/1/restore`)
    await until(async () => (await site()).status === 'active')
    expect((await site()).managed).toBe(false)
  })

  test('is decided by the constraint for concurrent requests', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    agent.sites = [found('shop.example')]
    const servers = [await dashboard.addServer(agent), await dashboard.addServer({ port: 1 })]
    const domains = ['shop.example', 'www.shop.example']

    const answers = await Promise.all([
      sync(dashboard, servers[0] ?? 0),
      ...servers.flatMap((id) => domains.map((domain) => create(dashboard, id, domain))),
    ])

    const statuses = answers.flatMap((answer) => (typeof answer === 'string' ? [] : answer.status))
    expect(statuses.sort()).toEqual([201, 422, 422, 422])
    const managed = (await sitesIn(dashboard)).filter((site) => site.managed)
    expect(managed).toHaveLength(1)
  })
})
