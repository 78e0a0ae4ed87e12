// tier: gate
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { operations } from '#dashboard/kernel/db/operations-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { CuttingProxy } from '#tests/support/cutting-proxy.ts'
import { addSite } from '#tests/support/dashboard/backup-fleet.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'

const [former, primary] = ['a.example', 'b.example']
const led = [former, `www.${former}`].map((domain) => ({ domain, status: 301, keep_path: true }))

/** A site whose change of the primary domain has an unknown result: its agent was not reached again. */
async function lost(more: object = {}) {
  const agent = new FakeAgent()
  agent.works.set('site.rename', async function* () {
    yield 'Stopping PHP'
    return {}
  })
  agent.sites = [found(former)]
  agent.usage = [created(former)]
  const cutAfter = (request: string) => (request.startsWith('POST /exec') ? 0 : undefined)
  const proxy = new CuttingProxy({ port: agent.port, cutAfter })
  const dashboard = await makeDashboard({ limits: { deadline_ms: 100 } })
  const server_id = await dashboard.addServer({ port: await proxy.listen() })
  const site = { domain: former, apex: former, user: 'shop', db_name: 'shop', email: 'a@b.example' }
  const id = await addSite(dashboard, server_id, site)
  const sync = async () => (await dashboard.send('POST', `/api/servers/${server_id}/sync`)).text()
  const at = `/api/servers/${server_id}/sites/${id}/domains`
  await sync()
  await dashboard.send('POST', `${at}/primary`, { primary, ...more })
  const list = async () => (await dashboard.call('GET', '/api/operations?type=site.rename')).body
  const [operation] = await until(async () => {
    const all = (await list()).operations
    return all[0]?.status === 'failed' && all
  })
  expect(operation.error.code).toBe('result_unknown')
  const records = async () =>
    (await dashboard.db.read.select().from(sites).orderBy(sites.id)).map((row) => [
      ...[row.id, row.domain, row.status],
    ])
  const entries = async () => {
    const { body } = await dashboard.call('GET', '/api/activity')
    return body.activities.map(({ type, domain, status }: Record<string, string>) => [
      ...[type, domain, status],
    ])
  }
  const show = async () => (await dashboard.call('GET', at)).body.domains
  const end = async () => {
    await dashboard[Symbol.asyncDispose]()
    await proxy.stop()
    await agent[Symbol.asyncDispose]()
  }
  const all = { agent, dashboard, server_id, id, sync, records, entries, show, operation }
  return { ...all, [Symbol.asyncDispose]: end }
}

test('a change of the primary domain whose success was not reported is recorded after a sync', async () => {
  await using all = await lost()
  all.agent.sites = [found(primary)]
  all.agent.usage = [created(primary)]

  const lines = await all.sync()

  expect(lines).toContain(`The primary domain of ${former} was changed to ${primary}`)
  expect(lines).not.toContain('Missing')
  expect(await all.records()).toEqual([[all.id, primary, 'active']])
  expect(await all.show()).toEqual({ primary, www: 'serve', aliases: [], redirects: led })
  const renames = (await all.entries()).filter(([type]: string[]) => type === 'site.rename')
  expect(renames).toEqual([
    ['site.rename', primary, 'success'],
    ['site.rename', former, 'failed'],
  ])
  expect(await all.sync()).not.toContain('was changed')
})

test('also after a retry that failed and says nothing about it', async () => {
  await using all = await lost()
  const { db } = all.dashboard
  const [first] = (await db.read.select().from(operations)).filter(
    ({ id }) => id === all.operation.id,
  )
  if (!first) throw new Error('no operation')
  const at = new Date(Date.now() + 1000).toISOString()
  const failed = { status: 'failed' as const, error: { error: 'Offline', message: 'No answer' } }
  const retry = { ...first, id: 'retry', created_at: at, finished_at: at, ...failed }
  await db.write((queries) => queries.insert(operations).values(retry))
  all.agent.sites = [found(primary)]

  expect(await all.sync()).toContain(`was changed to ${primary}`)
  expect(await all.records()).toEqual([[all.id, primary, 'active']])
})

test('also after a sync of an earlier version that found another site', async () => {
  await using all = await lost({ former: 'none' })
  const { db } = all.dashboard
  await db.write((queries) =>
    queries.update(sites).set({ status: 'missing' }).where(eq(sites.id, all.id)),
  )
  const other = { domain: primary, apex: primary, user: 'shop', managed: false }
  await addSite(all.dashboard, all.server_id, other)
  all.agent.sites = [found(primary)]

  await all.sync()

  expect(await all.records()).toEqual([[all.id, primary, 'active']])
  expect(await all.show()).toMatchObject({ primary, redirects: [] })
})

test.each<[string, ReturnType<typeof found>[]]>([
  ['both names', [found(former), found(primary)]],
  ['another user', [found(primary, { user: 'other' })]],
  ['another database', [found(primary, { db_name: 'other' })]],
  ['a name that nobody asked for', [found('c.example')]],
])('no site gets the name of one with %s', async (_, reported) => {
  await using all = await lost()
  all.agent.sites = reported

  await all.sync()

  const [record] = await all.records()
  expect(record?.slice(0, 2)).toEqual([all.id, former])
  expect(await all.dashboard.db.read.select().from(site_names)).toEqual([])
})

test('no site gets a name that another one has by now, or while another operation runs', async () => {
  await using all = await lost()
  all.agent.sites = [found(primary)]
  const { db } = all.dashboard
  const elsewhere = await all.dashboard.addServer({ port: 1 })
  const other = await addSite(all.dashboard, elsewhere, { domain: primary, apex: primary })
  expect(await all.sync()).not.toContain('was changed')
  await db.write((queries) => queries.delete(sites).where(eq(sites.id, other)))

  const { type, server_id, site_id, params } = (await db.read.select().from(operations)).find(
    ({ id }) => id === all.operation.id,
  ) ?? { type: 'site.rename', server_id: 0, site_id: 0, params: {} }
  const at = '2026-01-01T00:00:00.000Z'
  const running = { id: 'op', status: 'running', created_at: at, deadline_at: at } as const
  await db.write((queries) =>
    queries
      .insert(operations)
      .values({ type, server_id, site_id, params, domain: former, ...running }),
  )
  expect(await all.sync()).not.toContain('was changed')

  await db.write((queries) => queries.delete(operations).where(eq(operations.id, 'op')))
  expect(await all.sync()).toContain('was changed')
})
