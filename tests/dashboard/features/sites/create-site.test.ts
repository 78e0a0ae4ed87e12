import { describe, expect, test } from 'bun:test'
import { FoundSites } from '#shared/servers/agent.ts'
import { SiteDetail, SiteListed } from '#shared/sites/api/sites.ts'
import { EMAIL, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'

describe('a new site', () => {
  test('is provisioning immediately and active after its creation', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const asked: unknown[] = []
    agent.works.set('site.create', async function* (params) {
      asked.push(params)
      yield 'Creating the user'
      return { status: 'ok', domain: params.domain }
    })
    const server = await dashboard.addServer(agent)

    const response = await dashboard.send('POST', `/api/servers/${server}/sites`, {
      domain: 'Shop.Example.com',
    })

    const site = await until(async () => {
      const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
      return body.site.status === 'active' && body.site
    })
    const list = await dashboard.call('GET', `/api/servers/${server}/sites`)
    const detail = await dashboard.call('GET', `/api/servers/${server}/sites/1`)
    expect(response.status).toBe(201)
    expect(response.headers.get('operation-id')).toMatch(/^[\w-]{22}$/)
    expect(await response.json()).toEqual({
      site: { id: 1, domain: 'shop.example.com', status: 'provisioning' },
    })
    expect(asked).toEqual([
      {
        domain: 'shop.example.com',
        php: '8.2',
        tier: 'small',
        tls: 'letsencrypt',
        email: EMAIL,
        user: expect.stringMatching(/^shop[a-z0-9]{6}$/),
      },
    ])
    expect(site.managed).toBe(true)
    expect(SiteListed.parse(list.body.sites[0]).updates).toEqual({
      plugins: 0,
      themes: 0,
      core: false,
    })
    expect(SiteDetail.parse(detail.body.site).created_at).toBe(site.created_at)
  })

  const OURS = 'Must not begin with hosting: these names belong to Hosting Control'
  const SYSTEM = 'Must not be the name of root or of a system account'
  test.each([
    ...['hosting', 'hosting-agent-front', 'hosting-dashboard', 'hosting_tmp_a'].map(
      (user) => [user, OURS] as const,
    ),
    ...['root', 'www-data', 'mysql', 'nobody', '_apt', 'systemd-network'].map(
      (user) => [user, SYSTEM] as const,
    ),
  ])('cannot have the user %s, also as a clone or in the name of a pool', async (user, message) => {
    await using dashboard = await makeDashboard()
    await dashboard.call('POST', '/api/servers', { hostname: 'a.example' })
    const refused = {
      status: 422,
      body: { error: 'Validation failed', fields: { user: [message] } },
    }
    const post = (path: string, body: object) =>
      dashboard.call('POST', `/api/servers/1/${path}`, { ...body, user })

    expect(await post('sites', { domain: 'shop.example' })).toEqual(refused)
    const from = { kind: 'site', site_id: 1 }
    expect(await post('sites/clone', { domain: 'shop.example', from })).toEqual(refused)
    expect(await post('pool-apply', { php_version: '8.2', tier: 'small' })).toEqual(refused)
  })

  test('reports why the agent could not create it', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.works.set('site.create', async function* () {
      yield 'Creating the user'
      throw new Refused({ error: 'Internal error', message: 'The disk is full' })
    })
    const server = await dashboard.addServer(agent)
    await dashboard.call('POST', `/api/servers/${server}/sites`, { domain: 'shop.example' })

    const site = await until(async () => {
      const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
      return body.site.status === 'failed' && body.site
    })

    const { body } = await dashboard.call('GET', '/api/activity?type=site.create')
    expect(site.status_reason).toBe('The disk is full')
    expect(body.activities).toMatchObject([{ domain: 'shop.example', status: 'failed' }])
  })

  test('accepts only a PHP version that its server reported', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.services = [
      { name: 'php8.2', status: 'running' },
      { name: 'php8.4', status: 'missing' },
    ]
    const server = await dashboard.addServer(agent)
    await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
    const create = (php: string) =>
      dashboard.call('POST', `/api/servers/${server}/sites`, { domain: `p${php}.example`, php })

    expect(await create('8.4')).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields: { php: ['The server has PHP 8.2'] } },
    })
    expect((await create('8.2')).status).toBe(201)
  })

  test.each([
    { name: 'the one of the setting', versions: ['8.2', '8.4'], php: '8.2' },
    { name: 'the only one', versions: ['8.4'], php: '8.4' },
    { name: 'the newest', versions: ['8.4', '8.5', '8.3'], php: '8.5' },
  ])('without a PHP version gets $name that its server has', async ({ versions, php }) => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.services = versions.map((version) => ({ name: `php${version}`, status: 'running' }))
    const server = await dashboard.addServer(agent)
    await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()

    const input = { domain: 'shop.example' }
    const { status } = await dashboard.call('POST', `/api/servers/${server}/sites`, input)

    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect([status, body.site.php]).toEqual([201, php])
  })
})

test('the fake agent follows the contract', async () => {
  await using agent = new FakeAgent()
  const sites = await (await fetch(`http://127.0.0.1:${agent.port}/sites`)).json()

  expect(FoundSites.parse(sites)).toEqual({ sites: [] })
})
