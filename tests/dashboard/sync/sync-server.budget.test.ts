import { describe, expect, test } from 'bun:test'
import { deleteOld } from '#dashboard/db/retention.ts'
import type { NewSite } from '#dashboard/db/rows.ts'
import { sites } from '#dashboard/db/schema.ts'
import { realClock } from '#dashboard/runtime/clock.ts'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
} from '#tests/support/dashboard/dashboard.ts'
import { found } from '#tests/support/dashboard/sites.ts'

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
  test('are recorded up to 2,000 a day, and the overview counts the others', async () => {
    let now = Date.parse('2026-03-01T12:00:00.000Z')
    await using agent = new DisposableAgent()
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
      ...{ name: '127.0.0.1', at: new Date(now).toISOString(), count: 500, query: null },
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
    await using agent = new DisposableAgent()
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
    await using agent = new DisposableAgent()
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
  await using agent = new DisposableAgent()
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
    await deleteOld(dashboard.db, new Date(Date.now() + days * DAY_MS))
    const rows = await dashboard.db.read.select().from(sites)
    return rows.map(({ domain, status }) => `${domain} ${status}`)
  }

  const kept = ['scanned.example missing', 'back.example active', 'made.example missing']
  expect(await left(6.9)).toEqual(['untouched.example missing', ...kept])
  expect(await left(7.1)).toEqual(kept)
})
