import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(withShop)

const URL = 'https://shop.example/.well-known/hosting-login'
const MINUTE = 60_000

async function withShop() {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain: 'shop.example' })
  const given: unknown[] = []
  all.agent.works.set('wp.login', async function* (params) {
    given.push(params)
    yield 'Preparing a login to shop.example'
    return { status: 'ok', domain: 'shop.example', user: 'anna', url: URL }
  })
  const at = `/api/servers/${all.server_id}/sites/${site_id}`
  const login = (body: unknown = {}, headers = {}) =>
    all.dashboard.call('POST', `${at}/wordpress-login`, body, headers)
  return { ...all, site_id, at, given, login }
}

test('a login gives the caller a token, and the server only its hash', async (all) => {
  const { status, body } = await all.login({ user_id: 7 })

  expect([status, body]).toEqual([
    200,
    {
      url: URL,
      user: 'anna',
      token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.any(String),
    },
  ])
  const left = Date.parse(body.expires_at) - all.dashboard.deps.clock.now().getTime()
  expect(left > 0 && left <= MINUTE).toBe(true)
  const token_hash = createHash('sha256').update(body.token).digest('hex')
  expect(all.given).toEqual([{ domain: 'shop.example', user_id: 7, token_hash }])
  const [operations, activity] = await Promise.all(
    ['/api/operations', '/api/activity'].map((path) => all.dashboard.call('GET', path)),
  )
  const shown = JSON.stringify([operations?.body, activity?.body, all.dashboard.log])
  expect(shown).not.toContain(body.token)
  const { activities } = (await all.dashboard.call('GET', '/api/fleet/activity')).body
  const facts = { domain: 'shop.example', status: 'success', actor: 'ann@control.example' }
  expect(activities.slice(0, 2)).toMatchObject([
    { ...facts, type: 'site.wordpress_login', via: 'session', detail: 'as anna' },
    { ...facts, type: 'wp.login', via: 'session' },
  ])
})

test('a login needs the password of the last ten minutes', async (all) => {
  const confirm = (password: string) =>
    all.dashboard.call('POST', '/api/auth/confirm', { password })
  all.forward(30 * MINUTE)

  const refused = await all.login()
  const wrong = await confirm('not the password')
  const confirmed = await confirm(PASSWORD)
  const { status } = await all.login()

  expect(refused).toEqual({
    status: 409,
    body: {
      ...{ error: 'Conflict', message: 'Confirm your password first' },
      code: 'confirmation_needed',
    },
  })
  expect([wrong.status, wrong.body.fields]).toEqual([
    422,
    { password: ['Is not the current password'] },
  ])
  expect([confirmed.status, status, all.given.length]).toEqual([204, 200, 1])
})

test('five wrong passwords are the last for a while', async (all) => {
  const confirm = () => all.dashboard.call('POST', '/api/auth/confirm', { password: 'guess' })

  const statuses = []
  for (let count = 0; count < 6; count++) statuses.push((await confirm()).status)

  expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
})

test('lists the users of a site, with texts of a bounded length', async (all) => {
  const anna = { id: 1, login: 'anna', name: 'Anna', role: 'administrator' }
  const long = { id: 2, login: 'x'.repeat(99), name: 'y'.repeat(999), role: 'editor' }
  all.agent.answers.set('/sites/wordpress-users', () =>
    Response.json({ users: [anna, long], more: true }),
  )

  const { status, body } = await all.dashboard.call('GET', `${all.at}/wordpress-users`)

  const cut = { ...long, login: 'x'.repeat(60), name: 'y'.repeat(250) }
  expect([status, body]).toEqual([200, { users: [anna, cut], more: true }])
})

test('a login at the address of another site fails, and the caller gets no token', async (all) => {
  all.agent.works.set('wp.login', async function* () {
    yield 'Preparing a login to shop.example'
    const url = 'http://localhost/api/keys/rotate'
    return { status: 'ok', domain: 'shop.example', user: 'anna', url }
  })

  const { status, body } = await all.login()

  const message =
    'The server returned the address of another site for the login: nothing was sent there'
  const failure = { error: 'Conflict', message, code: 'foreign_address' }
  const { operations } = (await all.dashboard.call('GET', '/api/operations')).body
  expect({ status, body, ended: operations[0].status, error: operations[0].error }).toEqual({
    ...{ status: 409, body: failure, ended: 'failed' },
    error: failure,
  })
  const { attention } = (await all.dashboard.call('GET', '/api/fleet')).body
  expect(attention).toContainEqual(
    expect.objectContaining({ kind: 'operation_failed', severity: 'critical' }),
  )
})

test('a login at an alias of the site succeeds, and its certificate decides the scheme', async (all) => {
  const { site_id } = all
  const alias = { name: 'shop.test', apex: 'shop.test', site_id, kind: 'alias' } as const
  await all.dashboard.db.write((queries) => queries.insert(site_names).values(alias))
  all.agent.works.set('wp.login', async function* () {
    yield 'Preparing a login to shop.example'
    const url = 'http://shop.test/.well-known/hosting-login'
    return { status: 'ok', domain: 'shop.example', user: 'anna', url }
  })

  const plain = await all.login()
  await all.dashboard.db.write((queries) =>
    queries.update(sites).set({ certificate_expires_at: '2030-01-01T00:00:00.000Z' }),
  )
  const encrypted = await all.login()

  expect([plain.status, encrypted.status]).toEqual([200, 409])
})

const BROKEN = {
  error: 'Conflict',
  message: 'WordPress of the site stops with a syntax error in the plugin bad',
  code: 'wordpress_fatal',
} as const

test('a WordPress that stops is a clear answer everywhere', async (all) => {
  for (const path of ['/sites/wordpress-users', '/sites/wordpress-cron', '/sites/admin-password'])
    all.agent.answers.set(path, () => Response.json(BROKEN, { status: 409 }))
  all.agent.says('wp.login', { lines: ['Preparing a login to shop.example'], error: BROKEN })

  const answers = [
    await all.dashboard.call('GET', `${all.at}/wordpress-users`),
    await all.dashboard.call('GET', `${all.at}/wordpress-cron`),
    await all.dashboard.call('POST', `${all.at}/admin-password`),
    await all.login(),
  ]

  expect(answers).toEqual(answers.map(() => ({ status: 409, body: BROKEN })))
})
