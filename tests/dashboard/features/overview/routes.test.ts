import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import {
  Fleet,
  FleetServerDetail,
  FleetSiteDetail,
  FleetSiteIds,
  FleetSitesPage,
} from '#shared/overview/api/fleet.ts'
import { SITE_SORTS } from '#shared/sites/api/site-filters.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'

/** Versions of PHP end, one after the other. */
const clock = { ...realClock, now: () => new Date('2026-01-01T00:00:00.000Z') }
const known = { plugins: 0, themes: 0, core: false }
const unknown = { plugins: null, themes: null, core: null }
let agent: FakeAgent
let dashboard: Dashboard

beforeAll(async () => {
  agent = new FakeAgent()
  dashboard = await makeDashboard({ clock })
  agent.services = [
    { name: 'nginx', status: 'running' },
    { name: 'mariadb', status: 'failed' },
    { name: 'php8.2', status: 'running' },
  ]
  agent.sites = [
    found('alpha.example', { tier: 'large', php: '8.1', updates: known, user: 'first' }),
    found('beta.example', { tier: 'medium' }),
    found('gamma.example', { updates: unknown, user: 'other' }),
  ]
  agent.usage = agent.sites.map(({ domain }) => created(domain))
  const server = await dashboard.addServer(agent)
  await dashboard.call('PATCH', `/api/servers/${server}`, { tags: ['eu, west', 'shops'] })
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  agent.sites.pop()
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
})

afterAll(async () => {
  await agent.stop()
  await dashboard[Symbol.asyncDispose]()
})

async function names(query: string): Promise<string[]> {
  const { body } = await dashboard.call('GET', `/api/fleet/sites?${query}`)
  return body.sites.map(({ domain }: { domain: string }) => domain.replace('.example', ''))
}

describe('the sites of the fleet', () => {
  test.each([
    ['', ['alpha', 'beta', 'gamma']],
    ['q=BETA', ['beta']],
    ['q=other', ['gamma']],
    ['q=%25', []],
    ['q=_.example', []],
    ['q=EXAM+alp', ['alpha']],
    ['q=https://www.beta.example/wp-admin/', ['beta']],
    ['q=https://', []],
    ['status=missing', ['gamma']],
    ['status=missing,active', ['alpha', 'beta', 'gamma']],
    ['status=failed,missing', ['gamma']],
    ['tier=large', ['alpha']],
    ['tier=large,medium', ['alpha', 'beta']],
    ['php=7.4,8.1', ['alpha']],
    ['framework=static,php', []],
    ['tag=shops', ['alpha', 'beta', 'gamma']],
    ['tag=eu, west&tier=small', ['gamma']],
    ['tag=shop', []],
    ['managed=false', ['alpha', 'beta', 'gamma']],
    ['managed=true', []],
    ['expiring=false', ['alpha', 'beta', 'gamma']],
    ['php=8.1', ['alpha']],
    ['tls=none&updates=true', ['beta']],
    ['updates=false', ['alpha', 'gamma']],
    ['server_id=7', []],
    ['order=desc', ['gamma', 'beta', 'alpha']],
    ['sort=tier', ['gamma', 'beta', 'alpha']],
    ['sort=updates&order=desc', ['beta', 'alpha', 'gamma']],
    ['per_page=2&page=2', ['gamma']],
  ])('with %j are %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test.each([
    ...['sort=size', 'order=up', 'status=x', 'status=active,gone', 'status=', 'tier=huge'],
    ...['tier=small,,large', 'tls=x', 'server_id=x', 'updates=1', 'php=x', 'php=8', 'php=8.1,'],
    ...['managed=1', 'sort=password', 'framework=drupal', 'tag=', 'expiring=soon', 'page=0'],
    ...['page=1e3', 'per_page=501', 'per_page=0', 'per_page=1e1', 'per_page=x'],
  ])('are not listed with %s', async (query) => {
    const { status, body } = await dashboard.call('GET', `/api/fleet/sites?${query}`)

    expect([status, Object.keys(body.fields)]).toEqual([422, [query.split('=')[0] ?? '']])
  })

  test.each(SITE_SORTS)('are all listed, sorted by %s', async (sort) => {
    expect((await names(`sort=${sort}`)).sort()).toEqual(['alpha', 'beta', 'gamma'])
  })

  test('count those beyond the page', async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/sites?per_page=1')

    expect(FleetSitesPage.parse(body)).toMatchObject({ total: 3, page: 1, per_page: 1 })
  })

  test('are listed by their ids, with the same filters and order', async () => {
    const { body } = await dashboard.call(
      'GET',
      '/api/fleet/sites/ids?tier=small,medium&order=desc',
    )

    expect(FleetSiteIds.parse(body)).toEqual({
      sites: [
        { id: 3, server_id: 1, domain: 'gamma.example' },
        { id: 2, server_id: 1, domain: 'beta.example' },
      ],
      total: 2,
    })
  })

  test('distinguish unknown from zero', async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/sites')

    expect(body.sites.map(({ updates }: { updates: unknown }) => updates)).toEqual([
      known,
      { plugins: 2, themes: null, core: true },
      unknown,
    ])
  })
})

describe('the fleet', () => {
  test('counts everything and lists attention items', async () => {
    const { body } = await dashboard.call('GET', '/api/fleet')
    const { counts, attention, servers } = Fleet.parse(body)
    expect(servers).toMatchObject([{ id: 1, status: 'online', sites_count: 3, failures: 0 }])
    expect(counts).toEqual({
      servers: { online: 1 },
      sites: { active: 2, missing: 1 },
      health: { unknown: 2 },
      operations: {},
      updates: 1,
      updates_unknown: 1,
    })
    const shown = attention.map(({ kind, total, items: [first] }) => [
      kind,
      total,
      first?.name,
      first?.severity,
    ])
    expect(shown).toEqual([
      ['service_failed', 1, '127.0.0.1', 'critical'],
      ['site_missing', 1, 'gamma.example', 'critical'],
      ['php_eol', 1, 'PHP 8.1', 'warning'],
      ['backup_setup', 1, 'Backups of sites', 'info'],
      ['updates', 1, 'beta.example', 'info'],
    ])
  })

  test('shows one server completely', async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/servers/1')

    expect(FleetServerDetail.parse(body.server)).toMatchObject({
      php_versions: ['8.2'],
      services: agent.services,
      sites: { active: 2, missing: 1 },
      updates: 1,
      operations: [{ type: 'server.sync' }, { type: 'server.sync' }],
    })
  })

  test('shows one site completely', async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/sites/2')

    expect(FleetSiteDetail.parse(body.site)).toMatchObject({
      server: '127.0.0.1',
      server_state: { status: 'online', php_versions: ['8.2'], last_sync: expect.any(String) },
      docroot: '/srv/www/shop/public',
      inventory: null,
      operations: [],
    })
  })
})

test('lists the PHP versions of every server by its name', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  agent.services = ['php8.2', 'php8.4'].map((name) => ({ name, status: 'running' as const }))
  const server = await dashboard.addServer(agent)
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()

  const { status, body } = await dashboard.call('GET', '/api/fleet/php-versions')

  expect([status, body.servers]).toEqual([
    200,
    [{ server_id: server, name: expect.any(String), php_versions: ['8.2', '8.4'] }],
  ])
})

test('lists the WordPress versions by number, without sites in the trash', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  agent.sites = ['7.9', '7.10', '7.9', '6.8.3', ''].map((wp_version, index) =>
    found(`site-${index}.example`, { wp_version }),
  )
  const server = await dashboard.addServer(agent)
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  await dashboard.db.write((queries) =>
    queries.update(sites).set({ status: 'trashed' }).where(eq(sites.wp_version, '6.8.3')),
  )

  const { status, body } = await dashboard.call('GET', '/api/fleet/wordpress-versions')

  expect([status, body.versions]).toEqual([
    200,
    [
      { version: '7.10', sites: 1 },
      { version: '7.9', sites: 2 },
    ],
  ])
})
