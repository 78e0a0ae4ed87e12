import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(withShop)

const domain = 'shop.example'
const user = 'hosting_tmp_a1b2c3d4e5_1767229200'
const ends_at = '2026-01-01T01:00:00.000Z'

async function withShop() {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const given: Record<string, unknown>[] = []
  all.agent.works.set('database.user', async function* (params) {
    given.push(params)
    yield 'Creating a temporary user'
    return { domain, user, database: 'shop', ends_at }
  })
  all.agent.works.set('database.user-end', async function* (params) {
    given.push(params)
    yield 'Ending a temporary user'
    return params
  })
  const at = `/api/servers/${all.server_id}/sites/${site_id}`
  const call = (method: string, below: string, body?: unknown) =>
    all.dashboard.call(method, `${at}/database/users${below}`, body)
  return { ...all, at, given, call, create: (body: unknown) => call('POST', '', body) }
}

const hashOf = (password: string) => {
  const once = createHash('sha1').update(password).digest()
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`
}

test('the caller gets the password once, and the server only its hash', async (all) => {
  const { status, body } = await all.create({ rights: 'write', minutes: 5 })

  expect([status, body]).toEqual([
    200,
    {
      ...{ user, database: 'shop', rights: 'write', host: '127.0.0.1', port: 3307, ends_at },
      password: expect.stringMatching(/^[\w-]{32}$/),
      tunnel: expect.stringMatching(/^ssh -N -L 3307:\/run\/mysqld\/mysqld\.sock [\w-]+@[\w.-]+$/),
      socket: '/run/mysqld/mysqld.sock',
    },
  ])
  expect(all.given).toEqual([
    {
      ...{ domain, rights: 'write', minutes: 5, account_hash: hashOf(body.password) },
      token: expect.stringMatching(/^[a-z0-9]{10}$/),
    },
  ])
  const operation = (await all.dashboard.call('GET', '/api/operations')).body.operations[0]
  const paths = ['/api/operations', '/api/activity', `/api/operations/${operation.id}`]
  const shown = await Promise.all(paths.map((path) => all.dashboard.call('GET', path)))
  expect(JSON.stringify([shown, all.dashboard.log])).not.toContain(body.password)
  expect(shown[1]?.body.activities[0]).toMatchObject({ type: 'database.user', domain })
})

test('a user needs the password of the last ten minutes, and a session', async (all) => {
  all.forward(10 * 60_000)

  const refused = await all.create({ rights: 'read' })
  await all.dashboard.call('POST', '/api/auth/confirm', { password: PASSWORD })
  const { status } = await all.create({ rights: 'read' })

  expect([refused.status, refused.body.code, status]).toEqual([409, 'confirmation_needed', 200])
  expect(all.given).toMatchObject([{ rights: 'read', minutes: 60 }])
})

test.each([
  [{}, 'rights', 'Must be read or write'],
  [{ rights: 'all' }, 'rights', 'Must be read or write'],
  [{ rights: 'read', minutes: 61 }, 'minutes', 'Must be a whole number between 1 and 60'],
])('refuses %p', async (all, body, field, rule) => {
  const { status, body: answer } = await all.create(body)

  expect([status, answer.fields, all.given]).toEqual([422, { [field]: [rule] }, []])
})

test('lists the users that exist, and ends one while the site is busy', async (all) => {
  const users = [{ user, rights: 'read', ends_at }]
  all.agent.answers.set('/sites/database-users', () => Response.json({ users }))
  const { promise, resolve } = Promise.withResolvers<void>()
  all.agent.works.set('database.maintain', async function* () {
    yield 'Checking'
    await promise
    return { domain, action: 'check', tables: [] }
  })
  const body = { action: 'check' }
  const running = await all.dashboard.send('POST', `${all.at}/database/maintenance`, body)

  const listed = await all.call('GET', '')
  const ended = await all.call('POST', '/end', { user })
  const again = await all.dashboard.send('POST', `${all.at}/database/maintenance`, body)
  resolve()
  await running.text()

  expect(listed).toEqual({ status: 200, body: { users } })
  expect(ended).toEqual({ status: 200, body: { status: 'ok', message: `Ended ${user}` } })
  expect([again.status, all.given]).toEqual([409, [{ domain, user }]])
})

test('refuses to end anything but a temporary user', async (all) => {
  const { status, body } = await all.call('POST', '/end', { user: 'root' })

  expect([status, body.fields]).toEqual([422, { user: ['Must be the name of a temporary user'] }])
})
