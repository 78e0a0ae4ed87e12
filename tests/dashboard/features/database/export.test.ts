import { expect, test } from 'bun:test'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

const domain = 'shop.example'

async function withShop() {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const at = `/api/servers/${all.server_id}/sites/${site_id}/database/export`
  const activity = async () => (await all.dashboard.call('GET', '/api/activity')).body.activities[0]
  return { ...all, at, activity, get: () => all.dashboard.send('GET', at) }
}

test('passes on the bytes of the agent, and records it', async () => {
  await using all = await withShop()
  const asked: unknown[] = []
  all.agent.answers.set('/sites/database-export', async (request) => {
    asked.push(await request.json())
    return new Response('packed', { headers: { 'content-type': 'application/gzip' } })
  })

  const response = await all.get()

  expect([response.status, await response.text()]).toEqual([200, 'packed'])
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="shop\.example-\d{4}-\d\d-\d\d-\d{4}-database\.sql\.gz"$/,
  )
  expect(asked).toEqual([{ domain }])
  expect(await all.activity()).toMatchObject({ type: 'database.export', domain, status: 'success' })
})

test('records what the server refuses, and says why', async () => {
  await using all = await withShop()
  const message = '/etc/hosting-agent/policy.json on this server denies passwords'
  all.agent.answers.set('/sites/database-export', () =>
    Response.json({ error: 'Forbidden', message }, { status: 403 }),
  )

  const response = await all.get()

  expect([response.status, (await response.json()).message]).toEqual([403, message])
  expect(await all.activity()).toMatchObject({ type: 'database.export', status: 'failed' })
})

test('shows how far the running export is, and that none is running', async () => {
  await using all = await withShop()
  const progress = async () => (await all.dashboard.call('GET', `${all.at}/progress`)).body

  expect(await progress()).toEqual({ export: null })
  const running = { bytes: 10, total: 20 }
  all.agent.answers.set('/sites/database-exporting', () => Response.json({ export: running }))

  expect(await progress()).toEqual({ export: running })
})
