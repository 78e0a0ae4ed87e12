import { expect, test } from 'bun:test'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

const domain = 'shop.example'
const tables = [{ name: 'wp_posts', state: 'failed', message: 'Corrupt' }]

/** The site can be backed up, and has no backup. */
async function withShop() {
  const all = await fleet()
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const started: unknown[] = []
  all.agent.works.set('database.maintain', async function* (params) {
    started.push(params)
    yield 'wp_posts: failed (Corrupt)'
    return { domain, action: params.action, tables }
  })
  const at = `/api/servers/${all.server_id}/sites/${site_id}/database/maintenance`
  const maintain = (body: unknown) => all.dashboard.send('POST', at, body)
  const backedUp = () => all.agent.asked.filter((call) => call.includes('backup.create')).length
  return { ...all, started, maintain, backedUp }
}

test('checks chosen tables without a backup, and answers with the result of each', async () => {
  await using all = await withShop()

  const text = await (await all.maintain({ action: 'check', tables: ['wp_posts'] })).text()

  expect(text).toContain('wp_posts: failed (Corrupt)')
  expect(text).toContain(JSON.stringify({ status: 'ok', domain, action: 'check', tables }))
  expect(all.started).toEqual([{ domain, action: 'check', tables: ['wp_posts'] }])
  const { body } = await all.dashboard.call('GET', '/api/operations')
  expect(body.operations.map(({ type }: { type: string }) => type)).not.toContain('backup.create')
})

test('a repair is preceded by a backup, unless the call wants none', async () => {
  await using all = await withShop()
  const types = async () =>
    (await all.dashboard.call('GET', '/api/operations')).body.operations.map(
      ({ type }: { type: string }) => type,
    )

  await (await all.maintain({ action: 'repair', without_backup: true })).text()
  expect(await types()).not.toContain('backup.create')
  await (await all.maintain({ action: 'repair' })).text()

  expect(await types()).toContain('backup.create')
})

test.each([
  [{ action: 'drop' }, { action: ['Must be check, repair or optimise'] }],
  [{ action: 'check', tables: [] }, { tables: ['Must name at least one table'] }],
  [
    { action: 'check', tables: ['a', 'a'] },
    { tables: ['Must be a list of at most 1000 different names of tables'] },
  ],
])('refuses %p by its field', async (body, fields) => {
  await using all = await withShop()

  const response = await all.maintain(body)

  expect([response.status, (await response.json()).fields, all.started]).toEqual([422, fields, []])
})
