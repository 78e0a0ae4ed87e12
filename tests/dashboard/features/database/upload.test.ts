import { expect, test } from 'bun:test'
import { PART_BYTES } from '#shared/database/site-database.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

const domain = 'shop.example'
const upload = 'a'.repeat(16)
const at = '2026-01-01T00:00:00.000Z'
const until = '2099-01-08T00:00:00.000Z'

async function withShop() {
  const all = await fleet()
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const stored: unknown[] = []
  all.agent.answers.set('/sites/database-upload', async (request) => {
    const part = await request.json()
    stored.push(part)
    return Response.json({ part: part.part })
  })
  all.agent.works.set('database.import', async function* (params) {
    stored.push(params)
    yield 'Importing the dump'
    return { domain, at, until, bytes: 7 }
  })
  const base = `/api/servers/${all.server_id}/sites/${site_id}`
  const send = (body: unknown) => all.dashboard.call('POST', `${base}/database/uploads`, body)
  return { ...all, base, stored, send }
}

test('passes a complete part on to the server of the site', async () => {
  await using all = await withShop()
  const data = Buffer.alloc(PART_BYTES, 'x').toString('base64')

  const { status, body } = await all.send({ upload, part: 3, data })

  expect([status, body, all.stored]).toEqual([
    200,
    { part: 3 },
    [{ domain, upload, part: 3, data }],
  ])
})

test('starts no upload while an import runs, and continues one', async () => {
  await using all = await withShop()
  const { promise: end, resolve: finish } = Promise.withResolvers<void>()
  all.agent.works.set('database.import', async function* () {
    yield 'Importing the dump'
    await end
    return { domain, at, until, bytes: 7 }
  })
  const call = { upload, part_count: 1, packed: true, without_backup: true }
  const running = all.dashboard.send('POST', `${all.base}/database/import`, call)
  await (await running).body?.getReader().read()

  const refused = await all.send({ upload: 'b'.repeat(16), part: 0, data: 'YWJj' })
  const continued = await all.send({ upload: 'b'.repeat(16), part: 1, data: 'YWJj' })
  finish()

  expect([refused.status, refused.body]).toEqual([
    409,
    {
      error: 'Conflict',
      message: `An import into the database of ${domain} is running: wait for its end`,
    },
  ])
  expect([continued.status, all.stored.length]).toEqual([200, 1])
})

test.each([
  [{ upload: '../etc', part: 0, data: 'YWJj' }, 'upload'],
  [{ upload, part: 9000, data: 'YWJj' }, 'part'],
  [{ upload, part: 0, data: 'YWJ' }, 'data'],
  [{ upload, part: 0, data: 'YW\nJ' }, 'data'],
  [{ upload, part: 0, data: `${'YWJj'.repeat(PART_BYTES / 3)}YWJj` }, 'data'],
])('refuses a part by its field', async (body, field) => {
  await using all = await withShop()

  const { status, body: answer } = await all.send(body)

  expect([status, Object.keys(answer.fields), all.stored]).toEqual([422, [field], []])
})

test('an import follows a backup, and can be undone like a restore', async () => {
  await using all = await withShop()
  const path = `${all.base}/database/import`
  const call = { upload, part_count: 1, packed: true }

  const text = await (await all.dashboard.send('POST', path, call)).text()

  expect(text).toContain('event: complete')
  const imported = { domain, ...call, replace: false }
  expect(all.stored).toEqual([imported])
  const { operations } = (await all.dashboard.call('GET', '/api/operations')).body
  expect(operations.map(({ type }: { type: string }) => type)).toContain('backup.create')
  const { body } = await all.dashboard.call('GET', `${all.base}/backups`)
  expect(body.undo).toEqual({ cause: 'database.import', at, until })
})
