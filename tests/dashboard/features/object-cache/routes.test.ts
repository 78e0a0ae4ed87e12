import { expect, test } from 'bun:test'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

const STATE = {
  ...{ memory: 64, limit: 64, drop_in: 'own', other: null },
  numbers: { used: 9_437_184, objects: 42, hits: 90, misses: 10, evicted: 0 },
}

async function withShop() {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain: 'shop.example' })
  const given: unknown[] = []
  all.agent.works.set('site.object-cache', async function* (params) {
    given.push(params)
    yield 'Starting the object cache'
    return { status: 'ok', ...params }
  })
  return { ...all, given, at: `/api/servers/${all.server_id}/sites/${site_id}/object-cache` }
}

test.each([
  [{}, 64],
  [{ memory: 16 }, 16],
  [{ memory: null }, null],
])('sets the object cache with %j, and records it', async (body, memory) => {
  await using all = await withShop()

  const text = await (await all.dashboard.send('POST', all.at, body)).text()

  expect(all.given).toEqual([{ domain: 'shop.example', memory }])
  expect(text).toContain(`event: complete\ndata: {"status":"ok","domain":"shop.example"`)
  const activity = await all.dashboard.call('GET', '/api/fleet/activity?type=site.object-cache')
  expect(activity.body.activities).toMatchObject([{ domain: 'shop.example', status: 'success' }])
})

test.each([
  [15, 'Must be a whole number between 16 and 512'],
  [513, 'Must be a whole number between 16 and 512'],
  ['64', 'Must be a whole number between 16 and 512'],
  [64.5, 'Must be a whole number between 16 and 512'],
  [129, 'Must be at most 128 on the tier small'],
])('refuses a memory of %j', async (memory, message) => {
  await using all = await withShop()

  const { status, body } = await all.dashboard.call('POST', all.at, { memory })

  expect([status, body.fields]).toEqual([422, { memory: [message] }])
  expect(all.given).toEqual([])
})

test('shows what the agent reports, and what the tier allows', async () => {
  await using all = await withShop()
  all.agent.answers.set('/sites/object-cache', () => Response.json(STATE))

  const { status, body } = await all.dashboard.call('GET', all.at)

  expect([status, body]).toEqual([200, { object_cache: { ...STATE, most: 128 } }])
})
