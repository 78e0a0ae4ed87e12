// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { z } from 'zod'
import { MetricsHistory } from '#shared/metrics/api/metrics.ts'
import { OperationView } from '#shared/operations/api/operations.ts'
import {
  Fleet,
  FleetServerDetail,
  FleetSiteDetail,
  FleetSiteIds,
  FleetSitesPage,
} from '#shared/overview/api/fleet.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { hostileIds } from '#tests/support/hostile.ts'
import { failedOn, notFound, type Row, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const extension = { slug: 'a', name: 'A', version: '1', active: true, update: '2' }
const updates = { plugins: 1, themes: 0, core: false }

const rows: Row[] = [
  ...[
    'sort=size',
    'order=up',
    'status=x',
    'tier=huge',
    'tls=x',
    'server_id=x',
    'updates=1',
    'php=x',
    'managed=1',
    ...['sort=password', 'status=active,gone', 'status=', 'tier=small,,large', 'framework=drupal'],
    ...['php=8', 'php=8.1,', 'tag=', 'expiring=soon'],
  ].map((query) =>
    row(`A filter that is none is 422 on it: ${query}`)
      .get(`/api/fleet/sites?${query}`)
      .answers(422, failedOn(query.split('=')[0] ?? '')),
  ),
  ...['page=0', 'page=1e3', 'per_page=501', 'per_page=0', 'per_page=1e1', 'per_page=x'].map(
    (query) =>
      row(`A page that is none is 422 on it: ${query}`)
        .get(`/api/fleet/sites?${query}`)
        .answers(422, failedOn(query.split('=')[0] ?? '')),
  ),
  ...['limit=0', 'limit=501', 'status=x', 'type=x', 'before=yesterday'].map((query) =>
    row(`A filter of operations that is none is 422 on it: ${query}`)
      .get(`/api/operations?${query}`)
      .answers(422, failedOn(query.split('=')[0] ?? '')),
  ),
  ...[...hostileIds, '999'].flatMap((id) => [
    row(`The page of no server is 404: ${id}`)
      .get(`/api/fleet/servers/${id}`)
      .answers(404, notFound('Server')),
    row(`The page of no site is 404: ${id}`)
      .get(`/api/fleet/sites/${id}`)
      .answers(404, notFound('Site')),
    row(`An operation that is not there is 404: ${id}`)
      .get(`/api/operations/${id}`)
      .answers(404, notFound('Operation')),
  ]),
]

/** The parsed body, after checking that it matches the schema exactly. */
function exactly<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.parse(body)
  expect(body).toEqual(parsed as never)
  return parsed
}

describe('the pages', () => {
  const agent = new FakeAgent()
  afterAll(() => agent.stop())
  const { client } = useDashboard()
  const body = async (path: string) => (await client().get(path)).body as Record<string, unknown>
  beforeAll(async () => {
    agent.metrics.cpu = 12.5
    agent.services = [{ name: 'nginx', status: 'running' }]
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port, name: 'One' })
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1, name: 'Two' })
    const inventory = {
      wp_version: '6.8',
      plugins: [extension],
      themes: [],
      core_update: null,
      updates,
    }
    agent.says('wp.scan', { lines: ['one'], complete: inventory })
    for (const domain of ['b.example', 'a.example', 'münchen.example']) {
      agent.says('site.create', { lines: ['one'], complete: { domain } })
      const created = await client().post('/api/servers/1/sites', { domain, tls: 'none' })
      await client().get(`/api/operations/${created.headers.get('operation-id')}/events`)
    }
    await client().post('/api/servers/1/wp-scan', { site_id: 1 })
    await client().post('/api/servers/2/sites', { domain: 'waits.example' })
    await client().post('/api/servers/1/sync')
  })

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test('of the fleet is one call with every server, the counts and the attention items', async () => {
    const fleet = exactly(Fleet, await body('/api/fleet'))

    expect(fleet.servers.map(({ name, status }) => [name, status])).toEqual([
      ['One', 'online'],
      ['Two', 'pending'],
    ])
    expect(fleet.counts.sites).toMatchObject({ active: 3, provisioning: 1 })
  })

  test('of a server is one call with its services, sites and last operations', async () => {
    const server = exactly(FleetServerDetail, (await body('/api/fleet/servers/1')).server)

    expect(server.services).toEqual([{ name: 'nginx', status: 'running' }])
    expect(server.metrics?.cpu).toBe(12.5)
    expect(server.operations.length).toBeWithin(1, 11)
  })

  test('of a server have its metrics over time', async () => {
    const to = new Date(Date.now() + 60_000).toISOString()
    const { metrics } = await body(`/api/servers/1/metrics?to=${to}`)

    const { at, cpu } = exactly(MetricsHistory, metrics)
    expect(at).toHaveLength(cpu.length)
    expect(cpu.filter((value) => value !== null)).toContain(12.5)
  })

  test('of the sites are filtered, sorted and counted', async () => {
    const page = async (query: string) => {
      const { sites, total } = exactly(FleetSitesPage, await body(`/api/fleet/sites?${query}`))
      return { domains: sites.map(({ domain }) => domain), total }
    }
    const all = ['a.example', 'b.example', 'waits.example', 'xn--mnchen-3ya.example']

    expect(await page('')).toEqual({ domains: all, total: 4 })
    expect(await page('order=desc&per_page=3')).toEqual({
      domains: all.toReversed().slice(0, 3),
      total: 4,
    })
    expect(await page('page=2&per_page=3')).toEqual({ domains: all.slice(3), total: 4 })
    expect(await page('status=provisioning')).toEqual({ domains: ['waits.example'], total: 1 })
    expect(await page('status=provisioning,failed')).toEqual(await page('status=provisioning'))
    const ids = exactly(FleetSiteIds, await body('/api/fleet/sites/ids?status=active&sort=id'))
    expect(ids.sites.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(await page('server_id=2')).toEqual({ domains: ['waits.example'], total: 1 })
    expect(await page('q=%25')).toEqual({ domains: [], total: 0 })
    expect(await page('q=_.example')).toEqual({ domains: [], total: 0 })
  })

  test('of a site distinguish unknown from zero', async () => {
    const known = exactly(FleetSiteDetail, (await body('/api/fleet/sites/1')).site)
    const unknown = exactly(FleetSiteDetail, (await body('/api/fleet/sites/4')).site)

    expect(known.inventory?.plugins).toEqual([extension])
    expect(unknown.updates).toEqual({ plugins: null, themes: null, core: null })
    expect(unknown.inventory).toBeNull()
    const { sites } = (await body('/api/servers/2/sites')) as { sites: object[] }
    expect(sites).toMatchObject([{ updates: { plugins: 0, themes: 0, core: false } }])
  })

  test('of the operations show their states', async () => {
    const { operations } = (await body('/api/operations?type=site.create')) as {
      operations: unknown[]
    }
    const shown = operations.map((operation) => exactly(OperationView, operation))

    expect(shown.map(({ domain }) => domain)).toEqual([
      'waits.example',
      'xn--mnchen-3ya.example',
      'a.example',
      'b.example',
    ])
    const one = await client().get(`/api/operations/${shown[0]?.id}`)
    expect(one).toAnswer({ status: 200 })
    exactly(OperationView, (one.body as { operation: unknown }).operation)
  })
})
