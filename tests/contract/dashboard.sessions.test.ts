// tier: core
import { describe, expect, test } from 'bun:test'
import { type Call, Client } from '#tests/support/client.ts'
import { hostileIds } from '#tests/support/hostile.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { failed, failedOn, notFound } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const gone = { status: 204, answer: '' }

describe('sessions', () => {
  const dashboard = useDashboard()
  const signedIn = async (password = ADMIN.password) => {
    const client = new Client(dashboard.running().url)
    await client.login({ ...ADMIN, password })
    return client
  }
  const status = async (client: Client) => (await client.get('/api/auth/me')).status

  test.each([
    ['no fields', {}, { current_password: expect.anything(), password: expect.anything() }],
    [
      'another current password',
      { current_password: 'wrong', password: 'a long enough one' },
      { current_password: ['Is not the current password'] },
    ],
    [
      'a short new password',
      { current_password: ADMIN.password, password: 'short' },
      { password: expect.anything() },
    ],
    [
      'a new password that is a number',
      { current_password: ADMIN.password, password: 123456789012 },
      { password: ['Must be a string'] },
    ],
  ])('keep the password when a change has %s', async (_, body, fields) => {
    const answer = await dashboard.client().post('/api/auth/password', body)

    expect(answer).toAnswer({ status: 422, answer: failed(fields) })
    expect(await status(await signedIn())).toBe(200)
  })

  test('all but the current one end immediately with a change of the password', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const next = 'another long password'
    const body = { current_password: ADMIN.password, password: next }

    expect(await one.post('/api/auth/password', body)).toAnswer(gone)

    expect([await status(one), await status(other)]).toEqual([200, 401])
    expect((await new Client(one.base).login(ADMIN)).status).toBe(401)
    const again = await signedIn(next)
    const back = { current_password: next, password: ADMIN.password }
    expect(await again.post('/api/auth/password', back)).toAnswer(gone)
    expect(await status(await signedIn())).toBe(200)
  })
})

describe('API tokens', () => {
  const { client, running } = useDashboard()
  const password = ADMIN.password
  const bearer = (token: string, call: Call = { path: '/api/servers' }) =>
    new Client(running().url).send({ ...call, headers: { authorization: `Bearer ${token}` } })
  const create = async (body: object = {}) => {
    const made = await client().post('/api/auth/tokens', { name: 'script', password, ...body })
    return made.body as { token: { id: number }; plaintext: string }
  }

  test.each([
    ['read', 'PUT', '/api/settings/sync_interval', 'admin'],
    ['read', 'POST', '/api/servers/1/sync', 'operate'],
    ['operate', 'POST', '/api/servers', 'admin'],
    ['operate', 'POST', '/api/servers/1/sites/1/db-password', 'admin'],
  ])('of the scope %s are 403 for %s %s, which needs %s', async (scope, method, path, needed) => {
    const { plaintext } = await create({ scope })

    const answer = await bearer(plaintext, { method, path, body: {} })

    const message = `This needs an API token of the scope ${needed}; this one has ${scope}`
    expect(answer).toAnswer({ status: 403, answer: { error: 'Forbidden', message } })
  })

  test.each([
    ['POST', '/api/auth/tokens', { name: 'another', password }],
    ['POST', '/api/auth/password', { current_password: password, password: 'another long one' }],
    ['POST', '/api/auth/logout-everywhere', {}],
    ['POST', '/api/keys/rotate', {}],
  ])('of every scope are 403 for %s %s', async (method, path, body) => {
    const { plaintext } = await create({ scope: 'admin' })

    const message = 'API tokens cannot do this: log in with the password of the account'
    expect(await bearer(plaintext, { method, path, body })).toAnswer({
      status: 403,
      answer: { error: 'Forbidden', message },
    })
  })

  test('need a name of 1 to 64 characters: anything else is 422 on it', async () => {
    for (const name of [undefined, null, 7, [], {}, '', ' ', 'n'.repeat(65)]) {
      const answer = await client().post('/api/auth/tokens', { name, password })
      expect(answer).toAnswer({ status: 422, answer: failedOn('name') })
    }
  })

  test.each(hostileIds)('are not named by %s', async (id) => {
    const answer = await client().send({ method: 'DELETE', path: `/api/auth/tokens/${id}` })
    expect(answer).toAnswer({ status: 404, answer: notFound('Token') })
  })
})
