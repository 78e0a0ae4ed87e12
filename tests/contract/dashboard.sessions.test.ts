// tier: core
import { describe, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { failed } from '#tests/support/rows.ts'
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
