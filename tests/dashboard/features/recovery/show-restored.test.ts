import { expect, test } from 'bun:test'
import { afterRestore } from '#dashboard/after-restore.ts'
import type { Manifest } from '#dashboard/features/recovery/backup/manifest.ts'
import { markRestored } from '#dashboard/features/recovery/backup/restored-mark.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'

const MADE_AT = '2026-01-20T14:05:02.000Z'
const AT = Date.parse('2026-01-21T00:00:00.000Z')

const shown = async (dashboard: Dashboard) =>
  (await dashboard.call('GET', '/api/fleet/restored')).body.restored

async function restore(dashboard: Dashboard) {
  await markRestored(dashboard.folder, { made_at: MADE_AT } as Manifest)
  await afterRestore(dashboard.deps, dashboard.folder)
}

const sync = async (dashboard: Dashboard, id: number) =>
  (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()

test('a restored dashboard shows what its servers know, until it is confirmed', async () => {
  await using agent = new FakeAgent()
  await using old = new FakeAgent()
  await using lost = new FakeAgent()
  await using dashboard = await makeDashboard()
  const [one, two, three] = [
    await dashboard.addServer(agent),
    await dashboard.addServer(old),
    await dashboard.addServer(lost),
  ]
  for (const id of [one, two]) await sync(dashboard, id)
  const managed = { server_id: one, user: 'gone', php: '8.2', tier: 'small', tls: 'none' } as const
  await dashboard.db.write((queries) =>
    queries.insert(sites).values({
      ...{ ...managed, domain: 'gone.example', apex: 'gone.example', managed: true },
      ...{ found: false, status: 'active', created_at: '2026-01-01T00:00:00.000Z' },
    }),
  )
  expect(await shown(dashboard)).toBeNull()

  await restore(dashboard)
  agent.sites = [found('made.example'), found('other.example')]
  agent.usage = [created('made.example')]
  const operation = { command: 'site.create', domain: 'made.example', end: 'complete' } as const
  agent.answers.set('/operations', () =>
    Response.json({ operations: [{ id: 'made', ...operation, created_at: AT }], total: 1 }),
  )
  lost.answer = () => Response.json({ error: 'Unauthorized' }, { status: 401 })
  for (const id of [one, two, three]) await sync(dashboard, id)
  await sync(dashboard, one)
  const restored = await shown(dashboard)

  const { keys } = (await dashboard.call('GET', '/api/keys')).body
  const ids = await dashboard.db.read.select({ id: sites.id, domain: sites.domain }).from(sites)
  const idOf = (domain: string) => ids.find((site) => site.domain === domain)?.id
  const site = (domain: string, change: string) => ({
    ...{ site_id: idOf(domain), server_id: one, domain, change },
  })
  const server = (server_id: number, state: string, more = {}) => ({
    ...{ server_id, name: expect.any(String), state, reason: '', command: null, ...more },
  })
  expect(restored).toEqual({
    made_at: MADE_AT,
    restored_at: expect.any(String),
    servers: [
      server(one, 'read'),
      server(two, 'too_old'),
      server(three, 'key_refused', {
        reason: expect.stringContaining('The agent refused the key of this dashboard'),
        command: `hosting-agent trust --hub-key ${keys[0].hub_key}`,
      }),
    ],
    sites: [
      site('gone.example', 'missing'),
      site('made.example', 'adopted'),
      site('other.example', 'discovered'),
    ],
    sites_total: 3,
    operations: [{ id: 'made', server_id: one, ...operation, at: new Date(AT).toISOString() }],
    operations_total: 1,
  })
  expect(agent.asked.filter((call) => call === 'GET /operations')).toHaveLength(1)

  expect((await dashboard.call('DELETE', '/api/fleet/restored')).status).toBe(204)
  expect(await shown(dashboard)).toBeNull()
})

test('operations that the records have are not shown', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  await sync(dashboard, server_id)
  const { operations } = (await dashboard.call('GET', '/api/operations')).body
  const known = { id: operations[0].id, command: 'cache.purge', domain: '', end: null }
  agent.answers.set('/operations', () =>
    Response.json({ operations: [{ ...known, created_at: AT }], total: 1 }),
  )

  await restore(dashboard)
  await sync(dashboard, server_id)

  expect(await shown(dashboard)).toMatchObject({ operations: [], operations_total: 0 })
})
