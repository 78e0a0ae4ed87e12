import { describe, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { hostileIds } from '#tests/support/hostile.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { expectAnswer, failed, failedOn, notFound, unauthorized } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const closed = { status: 401, answer: unauthorized }
const gone = { status: 204, answer: '' }
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('sessions', () => {
  const dashboard = useDashboard()
  const signedIn = async (password = ADMIN.password) => {
    const client = new Client(dashboard.running().url)
    await client.login({ ...ADMIN, password })
    return client
  }
  const status = async (client: Client) => (await client.get('/api/auth/me')).status

  test('end at once with a logout, and only the one that logs out', async () => {
    const [one, other] = [await signedIn(), await signedIn()]

    const answer = await one.post('/api/auth/logout')

    expectAnswer(answer, { ...gone, answerHeaders: { 'set-cookie': /^session=;.*Max-Age=0/i } })
    expectAnswer(await one.get('/api/auth/me'), closed)
    expect(await status(other)).toBe(200)
  })

  test('all end at once with logout everywhere', async () => {
    const [one, other] = [await signedIn(), await signedIn()]

    expectAnswer(await one.post('/api/auth/logout-everywhere'), gone)

    expect([await status(one), await status(other)]).toEqual([401, 401])
    await dashboard.client().login(ADMIN)
  })

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

    expectAnswer(answer, { status: 422, answer: failed(fields) })
    expect(await status(await signedIn())).toBe(200)
  })

  test('all but one end at once with a change of the password', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const next = 'another long password'
    const body = { current_password: ADMIN.password, password: next }

    expectAnswer(await one.post('/api/auth/password', body), gone)

    expect([await status(one), await status(other)]).toEqual([200, 401])
    expect((await new Client(one.base).login(ADMIN)).status).toBe(401)
    const again = await signedIn(next)
    const back = { current_password: next, password: ADMIN.password }
    expectAnswer(await again.post('/api/auth/password', back), gone)
    expect(await status(await signedIn())).toBe(200)
  })
})

describe('API tokens', () => {
  const { client, running } = useDashboard()
  const bearer = (token: string) =>
    new Client(running().url).send({
      path: '/api/servers',
      headers: { authorization: `Bearer ${token}` },
    })

  test('let a program in until they are deleted, are shown once and stored nowhere', async () => {
    const created = await client().post('/api/auth/tokens', { name: ' backup script ' })
    const entry = { id: 1, name: 'backup script', created_at: moment, last_used_at: null }
    expectAnswer(created, { status: 201, answer: { token: entry, plaintext: expect.any(String) } })
    const { plaintext } = created.body as { plaintext: string }

    expect((await bearer(plaintext)).status).toBe(200)
    expect((await bearer(`${plaintext}x`)).status).toBe(401)
    const listed = await client().get('/api/auth/tokens')
    const used = { ...entry, last_used_at: moment }
    expectAnswer(listed, { status: 200, answer: { tokens: [used] } })
    expect(listed.text).not.toContain(plaintext)

    const removed = await client().send({ method: 'DELETE', path: '/api/auth/tokens/1' })
    expectAnswer(removed, gone)
    expectAnswer(await bearer(plaintext), closed)
    const again = await client().send({ method: 'DELETE', path: '/api/auth/tokens/1' })
    expectAnswer(again, { status: 404, answer: notFound('Token') })
  })

  test('need a name of 1 to 64 characters: anything else is 422 on it', async () => {
    for (const name of [undefined, null, 7, [], {}, '', ' ', 'n'.repeat(65)]) {
      const answer = await client().post('/api/auth/tokens', { name })
      expectAnswer(answer, { status: 422, answer: failedOn('name') })
    }
  })

  test.each(hostileIds)('are not named by %s', async (id) => {
    const answer = await client().send({ method: 'DELETE', path: `/api/auth/tokens/${id}` })
    expectAnswer(answer, { status: 404, answer: notFound('Token') })
  })
})
