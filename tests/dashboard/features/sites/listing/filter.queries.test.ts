import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { site_days } from '#dashboard/kernel/db/numbers-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { NUMBERS } from '#shared/metrics/site-numbers.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'

let agent: FakeAgent
let dashboard: Dashboard

beforeAll(async () => {
  agent = new FakeAgent()
  dashboard = await makeDashboard()
  agent.sites = [
    found('alpha.example', { wp_version: '7.1', user: 'alpha' }),
    found('beta.example', { wp_version: '7.1.2', user: 'beta' }),
    found('gamma.example', { wp_version: '7.10', user: 'gamma' }),
    found('xn--mller-kva.example', { user: 'miller' }),
    found('delta.example', { wp_version: '', framework: 'static', user: 'delta' }),
  ]
  agent.usage = agent.sites.map(({ domain }) => created(domain))
  const server = await dashboard.addServer(agent)
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  await dashboard.db.write(async (queries) => {
    const name = { apex: 'shop.test', site_id: 2 } as const
    await queries.insert(site_names).values([
      { ...name, name: 'shop.test', kind: 'alias' },
      { ...name, name: 'xn--strae-oqa.test', apex: 'xn--strae-oqa.test', kind: 'alias' },
      { ...name, name: 'old.shop.test', apex: 'old.shop.test', kind: 'redirect' },
    ])
    const day = Math.floor(Date.now() / 86_400_000) * 86_400
    const counts = (site_id: number, at: number, requests: number, server_errors: number) => ({
      ...Object.fromEntries(NUMBERS.map((name) => [name, 0])),
      ...{ site_id, at, requests, server_errors },
    })
    await queries
      .insert(site_days)
      .values([
        counts(1, day, 900, 5),
        counts(1, day - 86_400, 100, 5),
        counts(2, day, 2000, 19),
        counts(3, day - 2 * 86_400, 100, 100),
        counts(4, day, 20, 9),
      ] as (typeof site_days.$inferInsert)[])
    await queries.update(sites).set({ disk_level: 'over' }).where(eq(sites.id, 1))
    await queries.update(sites).set({ disk_level: 'near' }).where(eq(sites.id, 3))
    await queries.update(sites).set({ disk_level: null }).where(eq(sites.id, 2))
    await queries.update(sites).set({ disk_level: null }).where(eq(sites.id, 4))
  })
})

afterAll(async () => {
  await agent.stop()
  await dashboard[Symbol.asyncDispose]()
})

async function names(query: string): Promise<string[]> {
  const { body } = await dashboard.call('GET', `/api/fleet/sites?${query}`)
  return body.sites.map(({ domain }: { domain: string }) => domain.replace('.example', ''))
}

test.each([
  ['q=shop.test', ['beta']],
  ['q=https://old.shop.test/cart', ['beta']],
  ['q=old+beta', ['beta']],
  ['q=shop.test+alpha', []],
  ['q=müller', ['xn--mller-kva']],
  ['q=ÜLL', ['xn--mller-kva']],
  [`q=mu\u0308ller.ex`, ['xn--mller-kva']],
  ['q=https://www.müller.example/', ['xn--mller-kva']],
  ['q=müller+miller', ['xn--mller-kva']],
  ['q=müller+alpha', []],
  ['q=mller', ['xn--mller-kva']],
  ['q=möller', []],
  ['q=straße', ['beta']],
  ['disk=over', ['alpha']],
  ['disk=over,near', ['alpha', 'gamma']],
  ['disk=near&q=alpha', []],
  ['errors=true', ['alpha']],
  ['errors=false', ['beta', 'delta', 'gamma', 'xn--mller-kva']],
  ['wp_version=7.1', ['alpha', 'beta']],
  ['wp_version=7.1.2,7.10', ['beta', 'gamma']],
  ['wp_version=7', ['alpha', 'beta', 'gamma']],
])('the sites with %j are %j', async (query, expected) => {
  expect(await names(query)).toEqual(expected)
})

test.each([
  ['disk=full', 'disk'],
  ['disk=', 'disk'],
  ['errors=1', 'errors'],
  ['wp_version=7.x', 'wp_version'],
  ['wp_version=7.1,', 'wp_version'],
])('%s is refused by the name of the field', async (query, field) => {
  const { status, body } = await dashboard.call('GET', `/api/fleet/sites?${query}`)

  expect([status, Object.keys(body.fields)]).toEqual([422, [field]])
})
