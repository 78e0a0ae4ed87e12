// tier: gate
import { describe, expect } from 'bun:test'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { type FleetSite, FleetSiteDetail } from '#shared/overview/api/fleet.ts'
import {
  type Dashboard,
  makeDashboard,
  agentTest as test,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'

const sync = async (dashboard: Dashboard, server: number) => {
  const response = await dashboard.send('POST', `/api/servers/${server}/sync`)
  return { status: response.status, text: await response.text() }
}

const serverOf = async (dashboard: Dashboard, id: number) =>
  (await dashboard.call('GET', `/api/fleet/servers/${id}`)).body.server

const offline = (message: unknown) => ({
  status: 503,
  body: { error: 'Agent offline', message },
})

describe('a sync', () => {
  test('reports its steps and the number of sites, and updates the records', async ({
    agent,
    dashboard,
  }) => {
    agent.sites = [found('a.example'), found('b.example')]
    const server = await dashboard.addServer(agent)

    const { text } = await sync(dashboard, server)

    const { body } = await dashboard.call('GET', `/api/servers/${server}/sites`)
    const fleet = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(text).toEndWith('event: complete\ndata: {"status":"ok","sites":2}\n\n')
    expect(body.sites).toMatchObject([
      { domain: 'a.example', updates: { plugins: 2, themes: 0, core: true } },
      { domain: 'b.example' },
    ])
    expect(fleet.body.site).toMatchObject({
      managed: false,
      updates: { plugins: 2, themes: null, core: true },
    })
    expect(await serverOf(dashboard, server)).toMatchObject({
      status: 'online',
      age: expect.any(Number),
    })
  })

  test('is 503 before the stream starts when the agent is offline', async ({ dashboard }) => {
    const server = await dashboard.addServer({ port: 1 })

    const answer = await dashboard.call('POST', `/api/servers/${server}/sync`)

    const { body } = await dashboard.call('GET', '/api/activity?type=server.sync')
    expect(answer).toEqual(offline('The agent on 127.0.0.1:1 refused the connection'))
    expect(body.activities).toMatchObject([{ status: 'failed' }])
  })

  test('is 503 when the agent accepts the connection and does not answer', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ limits: { contact_ms: 30 } })
    agent.answers.set('/metrics', () => new Promise(() => undefined))
    const server = await dashboard.addServer(agent)

    const answer = await dashboard.call('POST', `/api/servers/${server}/sync`)

    expect(answer).toEqual(offline(expect.stringContaining('did not answer in time')))
  })

  test.each([
    ['no JSON', () => new Response('<html>'), 'The agent sent an answer that is not JSON'],
    [
      'other JSON',
      () => Response.json({ cpu: 'x' }),
      'The agent sent a malformed answer to /metrics',
    ],
    [
      'a redirect',
      () => Response.redirect('http://127.0.0.1:1/'),
      'The agent answered: status 302',
    ],
    [
      'a refusal',
      () => new Response('', { status: 401 }),
      expect.stringContaining('refused the key'),
    ],
  ])('is 503 when the agent answers %s', async ({ agent, dashboard }, _, answer, message) => {
    agent.answers.set('/metrics', answer)
    const server = await dashboard.addServer(agent)

    expect(await dashboard.call('POST', `/api/servers/${server}/sync`)).toEqual(offline(message))
  })

  test('counts a server that is not enrolled as offline in production', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ production: true })
    const server = await dashboard.addServer(agent)

    const answer = await dashboard.call('POST', `/api/servers/${server}/sync`)

    expect(answer).toEqual(offline(expect.stringContaining('not enrolled yet')))
    expect(agent.asked).toEqual([])
  })

  test('joins the running one', async ({ agent, dashboard }) => {
    const held = Promise.withResolvers<void>()
    agent.answers.set('/sites', async () => {
      await held.promise
      return Response.json({ sites: [] })
    })
    const server = await dashboard.addServer(agent)
    const both = [sync(dashboard, server), sync(dashboard, server)]
    await until(() => agent.asked.includes('GET /sites'))
    held.resolve()

    const [one, two] = await Promise.all(both)

    expect(one).toEqual(two ?? { status: 0, text: '' })
    expect(agent.asked.filter((call) => call === 'GET /sites')).toHaveLength(1)
  })

  test('records one site for a name that a server has with and without www.', async ({
    agent,
    dashboard,
  }) => {
    agent.sites = [found('shop.example'), found('www.shop.example')]
    const server = await dashboard.addServer(agent)

    const first = await sync(dashboard, server)
    const second = await sync(dashboard, server)
    await backgroundSync(dashboard.deps, server)

    const { body } = await dashboard.call('GET', '/api/activity?type=server.sync')
    const { sites } = (await dashboard.call('GET', `/api/servers/${server}/sites`)).body
    expect(first.text).toContain('Newly recorded: 1 sites')
    for (const { text } of [first, second])
      expect(text).toContain('Already recorded with or without www.: 1 sites')
    expect(sites.map(({ domain }: { domain: string }) => domain)).toEqual(['shop.example'])
    expect(body.total).toBe(2)
  })

  test.each([
    ['while it was still found', [found('shop.example')]],
    ['before it was looked for', []],
  ])(
    'ignores a site that was deleted during the sync, %s',
    async ({ agent, dashboard }, _, sites) => {
      agent.sites = [found('shop.example')]
      agent.usage = [created('shop.example')]
      const server = await dashboard.addServer(agent)
      await sync(dashboard, server)
      const path = `/api/servers/${server}/sites`
      const status = async () =>
        (await dashboard.call('GET', '/api/fleet/sites/1')).body.site.status
      agent.answers.set('/trash', () => Response.json({ error: 'Not found' }, { status: 404 }))
      agent.answers.set('/sites', async () => {
        await dashboard.call('DELETE', `${path}/1`)
        await until(async () => (await status()) === 'trashed')
        return Response.json({ sites })
      })

      expect((await sync(dashboard, server)).text).toContain('event: complete')

      expect(await status()).toBe('trashed')
      expect((await dashboard.call('GET', path)).body.sites).toEqual([])
    },
  )
})

describe('a certificate', () => {
  const ends = async (dashboard: Dashboard) => {
    const { body } = await dashboard.call('GET', '/api/fleet/sites')
    return body.sites.map((site: FleetSite) => [site.domain, site.certificate_expires_at])
  }

  test('has the expiry from the agent, which renews it automatically', async ({
    agent,
    dashboard,
  }) => {
    agent.sites = [found('plain.example'), found('shop.example')]
    const server = await dashboard.addServer(agent)
    await sync(dashboard, server)
    const seen: unknown[] = []
    for (const expires_at of ['2027-01-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z', undefined]) {
      agent.certificates = expires_at ? [{ domain: 'shop.example', expires_at }] : []
      await sync(dashboard, server)
      seen.push(await ends(dashboard))
    }

    expect(seen).toEqual(
      ['2027-01-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z', ''].map((expires_at) => [
        ['plain.example', ''],
        ['shop.example', expires_at],
      ]),
    )
  })

  test('stays recorded unchanged with an agent that does not report it', async ({
    agent,
    dashboard,
  }) => {
    agent.sites = [found('shop.example')]
    agent.certificates = [{ domain: 'shop.example', expires_at: '2027-01-01T00:00:00.000Z' }]
    const server = await dashboard.addServer(agent)
    await sync(dashboard, server)
    await sync(dashboard, server)
    agent.answers.set('/certificates', () =>
      Response.json({ error: 'Not found', message: 'Endpoint not found' }, { status: 404 }),
    )

    expect((await sync(dashboard, server)).text).toContain('event: complete')
    expect(await ends(dashboard)).toEqual([['shop.example', '2027-01-01T00:00:00.000Z']])
  })
})

describe('the disk use of a site', () => {
  const limits = { limit_bytes: 10e9, limit_files: 250_000 }
  const measured_at = '2026-05-01T00:00:00.000Z'
  const use = { bytes: 2e9, files: 4000, database_bytes: 5e8, ...limits, measured_at }
  const usedBy = async (dashboard: Dashboard, id: number) => {
    const { body } = await dashboard.call('GET', `/api/fleet/sites/${id}`)
    const { disk, disk_bytes } = FleetSiteDetail.parse(body.site)
    return { disk, disk_bytes }
  }
  const unknown = { disk: null, disk_bytes: null }
  async function measured(agent: FakeAgent, dashboard: Dashboard): Promise<number> {
    agent.sites = [found('shop.example')]
    agent.usage = [{ domain: 'shop.example', ...use }]
    const server = await dashboard.addServer(agent)
    for (const _ of [1, 2]) await sync(dashboard, server)
    return server
  }

  test('is recorded as the agent measured it last', async ({ agent, dashboard }) => {
    const server = await measured(agent, dashboard)
    const seen = [await usedBy(dashboard, 1)]
    const unmeasured = { bytes: null, files: null, database_bytes: 5e8 }
    for (const usage of [
      [{ domain: 'shop.example', ...use, ...unmeasured }],
      [{ domain: 'shop.example', ...use, ...unmeasured, measured_at: null }],
      [{ domain: 'other.example', ...use }],
    ]) {
      agent.usage = usage
      await sync(dashboard, server)
      seen.push(await usedBy(dashboard, 1))
    }

    expect(seen).toEqual([
      { disk: use, disk_bytes: 2.5e9 },
      { disk: { ...use, ...unmeasured }, disk_bytes: null },
      unknown,
      unknown,
    ])
  })

  test.each([
    ['does not know the call', () => Response.json({ error: 'Not found' }, { status: 404 })],
    ['answers something else', () => Response.json({ sites: [{ domain: 'shop.example' }] })],
    [
      'reports what nobody can store',
      () => Response.json({ sites: [{ domain: 'shop.example', ...use, bytes: 1e16 }] }),
    ],
  ])('stays recorded unchanged with an agent that %s', async ({ agent, dashboard }, _, answer) => {
    const server = await measured(agent, dashboard)
    agent.answers.set('/usage', answer)

    expect((await sync(dashboard, server)).text).toContain('event: complete')

    expect(await usedBy(dashboard, 1)).toEqual({ disk: use, disk_bytes: 2.5e9 })
  })

  test('is listed with the sites', async ({ agent, dashboard }) => {
    await measured(agent, dashboard)

    const { body } = await dashboard.call('GET', '/api/fleet/sites')

    expect(body.sites.map((site: FleetSite) => site.disk_bytes)).toEqual([2.5e9])
  })
})

describe('the server', () => {
  test('is offline after three failed contacts in a row, and online after one that succeeds', async ({
    agent,
    dashboard,
  }) => {
    const server = await dashboard.addServer(agent)
    const states: string[] = []
    const contact = async () => {
      await backgroundSync(dashboard.deps, server)
      states.push((await serverOf(dashboard, server)).status)
    }
    await contact()
    await agent.stop()
    for (let failure = 0; failure < 4; failure++) await contact()
    agent.listen()
    await contact()

    const { body } = await dashboard.call('GET', '/api/activity?type=server.sync')
    expect(states).toEqual(['online', 'online', 'online', 'offline', 'offline', 'online'])
    expect(body.activities.map(({ status }: { status: string }) => status)).toEqual([
      'success',
      'failed',
      'success',
    ])
  })

  test('stays pending until the first answer of its agent', async ({ dashboard }) => {
    const server = await dashboard.addServer({ port: 1 })

    for (let failure = 0; failure < 4; failure++) await backgroundSync(dashboard.deps, server)

    expect(await serverOf(dashboard, server)).toMatchObject({ status: 'pending', failures: 4 })
  })
})
