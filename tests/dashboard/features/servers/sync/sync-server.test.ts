// tier: gate
import { describe, expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { syncServer } from '#dashboard/features/servers/sync/sync-server.ts'
import { operations } from '#dashboard/kernel/db/operations-schema.ts'
import { deleteExpired } from '#dashboard/kernel/db/retention.ts'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import {
  type Dashboard,
  ending,
  makeDashboard,
  agentTest as test,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { events, hangs, movingServers } from '#tests/support/dashboard/moves.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

const DAY_MS = 24 * 3600_000

async function sync(dashboard: Dashboard, server: number): Promise<string> {
  return (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
}

async function attention(dashboard: Dashboard) {
  const { body } = await dashboard.call('GET', '/api/fleet')
  return body.attention.filter(({ kind }: { kind: string }) => kind === 'sites_not_recorded')
}

const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => found(`${name}${at}.example`))

const row = (server_id: number, domain: string, more: Partial<NewSite> = {}): NewSite => ({
  ...{ server_id, domain, apex: domain, user: 'shop', php: '8.2', tier: 'small', tls: 'none' },
  ...{ managed: false, status: 'active', created_at: '2026-01-01T00:00:00.000Z', ...more },
})

describe('the sites that a server reports', () => {
  test('are a change of the records only if they differ', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const server = await dashboard.addServer(agent)
    const isChange = async () => {
      const before = dashboard.db.version()
      const row = await dashboard.db.read.select().from(servers).where(eq(servers.id, server)).get()
      if (row) await Array.fromAsync(syncServer(dashboard.deps, row, { with_activity: true }))
      return dashboard.db.version() !== before
    }
    agent.sites = many(2, 'a')
    await isChange()
    const same = await isChange()
    agent.sites = many(3, 'a')

    expect([same, await isChange(), await isChange()]).toEqual([false, true, false])
  })

  test('are recorded up to 2,000 a day, and the overview counts the others', async () => {
    let now = Date.parse('2026-03-01T12:00:00.000Z')
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({
      clock: { ...realClock, now: () => new Date(now) },
    })
    const server = await dashboard.addServer(agent)
    const count = async () =>
      (await dashboard.call('GET', `/api/fleet/servers/${server}`)).body.server.sites_count
    agent.sites = many(1500, 'a')
    await sync(dashboard, server)
    expect([await count(), await attention(dashboard)]).toEqual([1500, []])

    agent.sites = [...agent.sites, ...many(1000, 'b')]
    const text = await sync(dashboard, server)
    await sync(dashboard, server)

    const budget = 'a server may add 2,000 a day and 10,000 in all'
    expect(text).toContain(`Not recorded: 500 sites, since ${budget}`)
    const item = {
      ...{ severity: 'warning', server_id: server, site_id: null, operation_id: null },
      ...{
        name: '127.0.0.1',
        at: new Date(now).toISOString(),
        count: 500,
        query: null,
        subject: '',
      },
      reason: `500 sites that its agent reports are not recorded, since ${budget}: look for them on the server, and if they are not there, treat the server as compromised and remove it here`,
    }
    const group = { kind: 'sites_not_recorded', severity: 'warning', total: 500, query: null }
    expect([await count(), await attention(dashboard)]).toEqual([
      2000,
      [{ ...group, items: [item] }],
    ])

    now += DAY_MS
    await sync(dashboard, server)
    expect([await count(), await attention(dashboard)]).toEqual([2500, []])
  })

  test('are at most 10,000, not counting those that the dashboard created', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const server = await dashboard.addServer(agent)
    const known = many(9990, 'known')
    const facts = { framework: 'wordpress', wp_version: '6.9', db_name: 'shop' } as const
    const updates = { updates_plugins: 2, updates_themes: null, updates_core: true }
    const rows = known.map(({ domain, docroot }) =>
      row(server, domain, { ...facts, ...updates, docroot }),
    )
    for (let from = 0; from < rows.length; from += 500)
      await dashboard.db.write((queries) =>
        queries.insert(sites).values(rows.slice(from, from + 500)),
      )
    await dashboard.db.write((queries) =>
      queries.insert(sites).values(row(server, 'made.example', { managed: true })),
    )
    agent.sites = [...known, found('made.example'), ...many(100, 'new')]

    const text = await sync(dashboard, server)

    const { body } = await dashboard.call('GET', `/api/fleet/servers/${server}`)
    expect(body.server.sites_count).toBe(10_001)
    expect(text).toContain('Newly recorded: 10 sites')
    expect(text).toContain('Not recorded: 90 sites')
    expect(text).toEndWith('event: complete\ndata: {"status":"ok","sites":10091}\n\n')
  })

  test('are missing only after a complete list', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.sites = [found('shop.example')]
    const server = await dashboard.addServer(agent)
    await sync(dashboard, server)
    agent.sites = [...many(20_000, 'flood'), found('shop.example')]

    const text = await sync(dashboard, server)

    expect(text).not.toContain('Missing')
    expect((await dashboard.call('GET', '/api/fleet/sites/1')).body.site.status).toBe('active')
    expect(await attention(dashboard)).toMatchObject([{ total: 18_002 }])
  })
})

test('discovered sites that are missing for a week are removed unless they had an operation', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  agent.sites = [found('untouched.example'), found('scanned.example'), found('back.example')]
  agent.answers.set('/trash', () => Response.json({ trash: [] }))
  const server = await dashboard.addServer(agent)
  await sync(dashboard, server)
  await dashboard.db.write((queries) =>
    queries.insert(sites).values(row(server, 'made.example', { managed: true })),
  )
  const scan = await dashboard.send('POST', `/api/servers/${server}/wp-scan`, { site_id: 2 })
  await scan.text()
  const back = agent.sites.pop()
  agent.sites = []
  await sync(dashboard, server)
  agent.sites = back ? [back] : []
  await sync(dashboard, server)
  const left = async (days: number) => {
    await deleteExpired(dashboard.db, new Date(Date.now() + days * DAY_MS))
    const rows = await dashboard.db.read.select().from(sites)
    return rows.map(({ domain, status }) => `${domain} ${status}`)
  }

  const kept = ['scanned.example missing', 'back.example active', 'made.example missing']
  expect(await left(6.9)).toEqual(['untouched.example missing', ...kept])
  expect(await left(7.1)).toEqual(kept)
})

const taken = {
  status: 422,
  body: { error: 'Validation failed', fields: { domain: ['The domain is already taken'] } },
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
  test('is taken on its own server, including www., and free on every other one', async ({
    agent,
    dashboard,
  }) => {
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

  test('is recorded on a server also when another server has a site of that name', async ({
    agent,
    dashboard,
  }) => {
    const first = await dashboard.addServer({ port: 1 })
    const second = await dashboard.addServer(agent)
    await create(dashboard, first, 'shop.example')
    agent.sites = [found('shop.example')]

    await sync(dashboard, second)

    const { body } = await dashboard.call('GET', '/api/fleet/sites/2')
    expect(body.site).toMatchObject({ domain: 'shop.example', server_id: second, managed: false })
    expect(body.site.also_on).toEqual([{ site_id: 1, server_id: first, server: '127.0.0.1' }])
  })

  test('stays free when a foreign site in the trash has it', async ({ agent, dashboard }) => {
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

  test('is decided by the constraint for concurrent requests', async ({ agent, dashboard }) => {
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

const former = found('shop.example', { php: '8.3' })

/** An agent with one site on record, whose operations end at once. */
async function oneSite() {
  const agent = new FakeAgent()
  const dashboard = await makeDashboard()
  const server = await dashboard.addServer(agent)
  const body = { domain: 'shop.example', php: '8.2', tier: 'small', tls: 'none' }
  const made = await dashboard.call('POST', `/api/servers/${server}/sites`, {
    ...{ ...body, email: 'owner@shop.example' },
  })
  const { id } = made.body.site
  const site = async () => (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site
  await until(async () => (await site()).status === 'active')
  agent.works.set('pool.apply', async function* () {
    yield 'Applying the tier'
    return { status: 'ok', tier: 'large' }
  })
  const operate = async () => {
    const pool = { user: (await site()).user, php_version: '8.2', tier: 'large' }
    return (await dashboard.send('POST', `/api/servers/${server}/pool-apply`, pool)).text()
  }
  const sync = async () => (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  return { agent, dashboard, server, site, operate, sync, ...ending(dashboard, agent) }
}

/** What the agent answers about its sites, after it has done this. */
const reporting =
  (listed: readonly FoundSite[], first: () => Promise<unknown> = async () => undefined) =>
  async () => {
    await first()
    return Response.json({ sites: listed, total: listed.length })
  }

describe('a sync', () => {
  test('that began before a move leaves the site on its new server alone', async () => {
    await using all = await movingServers()
    const { dashboard, first, second } = all
    const move = () => events(all, 'move', { server_id: second })
    all.one.agent.answers.set('/sites', reporting([], move))

    const text = await (await dashboard.send('POST', `/api/servers/${first}/sync`)).text()

    expect(text).toContain('event: complete')
    const { server_id, status } = await all.site(all.shop)
    expect([server_id, status]).toEqual([second, 'active'])
  })

  test('during a move does not miss the site that its server only forwards to', async () => {
    await using all = await movingServers()
    const { dashboard, first, second, shop: id } = all
    const begun = Promise.withResolvers<void>()
    const isLast = ({ state }: Record<string, unknown>) => state === 'arrived'
    hangs(all, { of: 'two', command: 'site.switch', when: isLast }, begun.resolve)
    const path = `/api/servers/${first}/sites/${id}/move`
    const moving = dashboard.send('POST', path, { server_id: second })
    await begun.promise

    const text = await (await dashboard.send('POST', `/api/servers/${first}/sync`)).text()

    expect(text).not.toContain('Missing on the server')
    expect((await all.site(id)).status).toBe('active')
    void moving.catch(() => undefined)
  })

  test('that began before an operation does not judge its site', async () => {
    await using all = await oneSite()
    all.agent.answers.set('/sites', reporting([], all.operate))

    await all.sync()

    expect((await all.site()).status).toBe('active')
    all.agent.answers.delete('/sites')
    all.agent.sites = []
    await all.sync()
    expect((await all.site()).status).toBe('missing')
  })

  test('does not judge a site whose operation ends meanwhile', async () => {
    await using all = await oneSite()
    const { db } = all.dashboard
    await all.operate()
    const setOperation = (values: Partial<typeof operations.$inferInsert>) =>
      db.write((queries) =>
        queries.update(operations).set(values).where(eq(operations.type, 'pool.apply')),
      )
    // Its end has an earlier time, as in the records of another dashboard.
    const [ended] = await db.read.select().from(operations).where(eq(operations.type, 'pool.apply'))
    await setOperation({ status: 'running', finished_at: null })
    const ends = () => setOperation({ status: 'success', finished_at: ended?.finished_at ?? null })
    all.agent.answers.set('/sites', reporting([], ends))

    await all.sync()

    expect((await all.site()).status).toBe('active')
  })

  test('keeps what an operation has changed since', async () => {
    await using all = await oneSite()
    const { db } = all.dashboard
    const changed = async () => {
      await all.operate()
      await db.write((queries) => queries.update(sites).set({ php: '8.4' }))
    }
    all.agent.answers.set('/sites', reporting([former], changed))

    await all.sync()

    expect((await all.site()).php).toBe('8.4')
    all.agent.answers.set('/sites', reporting([former]))
    await all.sync()
    expect((await all.site()).php).toBe('8.3')
  })
})
