import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sites } from '#dashboard/db/schema.ts'
import { DisposableAgent, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { found } from '#tests/support/dashboard/sites.ts'

test('lists the WordPress versions by number, without sites in the trash', async () => {
  await using agent = new DisposableAgent()
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
