import { expect, test } from 'bun:test'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

const domain = 'shop.example'
const table = { name: 'wp_posts', engine: 'InnoDB', rows: 1, data_bytes: 2, index_bytes: 3 }
const sums = { table_count: 1, data_bytes: 2, index_bytes: 3, free_bytes: 4 }
const options = {
  ...{ table: 'wp_options', count: 1, bytes: 2, expired: 0, expired_bytes: 0 },
  unused: [],
}

const query = {
  ...{ text: 'SELECT ?', count: 1, total_ms: 2, longest_ms: 2, rows_examined: 1, rows_sent: 1 },
  ...{ without_index: 0, last_at: '2026-03-01T03:00:00.000Z' },
}

async function withShop() {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const at = `/api/servers/${all.server_id}/sites/${site_id}`
  return { ...all, at, read: () => all.dashboard.call('GET', `${at}/database`) }
}

test('shows the tables, options and statements, with names as plain text', async () => {
  await using all = await withShop()
  const asked: unknown[] = []
  const hostile = 'a\u001b[2J\u202eb'
  all.agent.answers.set('/sites/database', async (request) => {
    asked.push(await request.json())
    return Response.json({
      ...sums,
      tables: [{ ...table, name: hostile, free_bytes: 4 }],
      options: [
        {
          ...{ ...options, table: hostile, largest: [{ name: hostile, bytes: 2 }] },
          unused: [{ plugin: hostile, count: 1, bytes: 2 }],
        },
        { ...options, largest: [] },
      ],
      queries: [{ ...query, text: hostile }],
    })
  })

  const { status, body } = await all.read()

  expect([status, asked]).toEqual([200, [{ domain }]])
  expect(body).toEqual({
    database: {
      ...sums,
      tables: [{ ...table, name: 'ab', free_bytes: 4 }],
      options: [
        {
          ...{ ...options, table: 'ab', largest: [{ name: 'ab', bytes: 2 }] },
          unused: [{ plugin: 'ab', count: 1, bytes: 2 }],
        },
        { ...options, largest: [], unused: [] },
      ],
      queries: [{ ...query, text: 'ab' }],
    },
  })
})

test('passes on what could not be read, and why', async () => {
  await using all = await withShop()
  all.agent.answers.set('/sites/database', () =>
    Response.json({ ...sums, tables: [], options: null, queries: null }),
  )
  expect((await all.read()).body.database).toMatchObject({ options: null, queries: null })

  const message = 'The database of shop.example could not be read (error 1226 of MariaDB)'
  all.agent.answers.set('/sites/database', () =>
    Response.json({ error: 'Conflict', message }, { status: 409 }),
  )

  const { status, body } = await all.read()

  expect([status, body.message]).toEqual([409, message])
})

const tables = [{ name: 'wp_posts', state: 'failed', message: 'Corrupt' }]

/** The site can be backed up, and has no backup. */
async function withMaintenance() {
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
  await using all = await withMaintenance()

  const text = await (await all.maintain({ action: 'check', tables: ['wp_posts'] })).text()

  expect(text).toContain('wp_posts: failed (Corrupt)')
  expect(text).toContain(JSON.stringify({ status: 'ok', domain, action: 'check', tables }))
  expect(all.started).toEqual([{ domain, action: 'check', tables: ['wp_posts'] }])
  const { body } = await all.dashboard.call('GET', '/api/operations')
  expect(body.operations.map(({ type }: { type: string }) => type)).not.toContain('backup.create')
})

test('a repair is preceded by a backup, unless the call wants none', async () => {
  await using all = await withMaintenance()
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
  await using all = await withMaintenance()

  const response = await all.maintain(body)

  expect([response.status, (await response.json()).fields, all.started]).toEqual([422, fields, []])
})
