import { expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

test('a sync that began before a change of the primary domain leaves the site alone', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  agent.sites = [found('shop.example')]
  const server = await dashboard.addServer(agent)
  const sync = async () => (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  await sync()
  agent.answers.set('/sites', async () => {
    const values = { domain: 'new.example', apex: 'new.example' }
    await dashboard.db.write((queries) => queries.update(sites).set(values).where(eq(sites.id, 1)))
    return Response.json({ sites: [] })
  })

  expect(await sync()).toContain('event: complete')

  const { site } = (await dashboard.call('GET', '/api/fleet/sites/1')).body
  expect(site).toMatchObject({ domain: 'new.example', status: 'active' })
})

test('a second sync of a server on which nothing has changed stores its readings and the right time', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  const domain = 'shop.example'
  agent.sites = [found(domain)]
  const expires_at = '2027-01-01T00:00:00.000Z'
  agent.answers.set('/certificates', () =>
    Response.json({ certificates: [{ domain, expires_at }] }),
  )
  const server = await dashboard.addServer(agent)
  const sync = () => backgroundSync(dashboard.deps, server)
  await sync()
  agent.metrics = { ...agent.metrics, cpu: 42 }
  // The clock of the dashboard was wrong.
  const last_sync = '2099-01-01T00:00:00.000Z'
  const mark = sql`update servers set last_sync = ${last_sync}`
  await dashboard.db.write((queries) => queries.run(mark))

  await sync()

  const stored = await getServer(dashboard.db, server)
  expect([stored.metrics?.cpu, (stored.last_sync ?? '') < last_sync]).toEqual([42, true])
  const { site } = (await dashboard.call('GET', '/api/fleet/sites/1')).body
  expect(site).toMatchObject({ domain, certificate_expires_at: expires_at })
})
