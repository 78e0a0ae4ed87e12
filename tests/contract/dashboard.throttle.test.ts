// tier: core
import { describe, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const wrong = {
  status: 401,
  answer: { error: 'Unauthorized', message: 'Invalid email or password' },
}
const throttled = {
  status: 429,
  answer: { error: 'Too many requests', message: expect.any(String) },
  answerHeaders: { 'retry-after': /^\d+$/, 'set-cookie': null },
}

/** Accounts of the records, whose passwords cost nothing to check: it is all the same to the throttle. */
const others = Array.from({ length: 18 }, (_, turn) => `known${turn}@control.example`)
const [bob, owner, mobile, sixth] = ['bob', 'owner', 'mobile', 'sixth'].map(
  (name) => `${name}@control.example`,
) as [string, string, string, string]

describe('failed logins', () => {
  const dashboard = useDashboard({}, [bob, owner, mobile, sixth, ...others])
  const attempt = (email: string, password: string, address: string, more = {}) =>
    new Client(dashboard.running().url).send({
      method: 'POST',
      path: '/api/auth/login',
      body: { email, password },
      headers: { 'x-forwarded-for': address, ...more },
    })

  test('are 429 for an account after the fifth from one address, right password or not', async () => {
    for (let turn = 1; turn <= 5; turn += 1) {
      expect(await attempt(bob, 'wrong', '192.0.2.1')).toAnswer(wrong)
    }

    const sixth = await attempt('BOB@control.example ', ADMIN.password, '192.0.2.1')

    expect(sixth).toAnswer(throttled)
    expect(Number(sixth.headers.get('retry-after'))).toBeWithin(1, 15 * 60 + 1)
  })

  test('from any address do not lock the owner out elsewhere', async () => {
    for (let turn = 1; turn <= 5; turn += 1) {
      expect(await attempt(owner, 'wrong', `192.0.2.${40 + turn}`)).toAnswer(wrong)
    }
    const elsewhere = new Client(dashboard.running().url)
    const { status, headers } = await attempt(owner, ADMIN.password, '198.51.100.99')
    elsewhere.cookie = headers.getSetCookie()[0]?.split(';')[0]
    const change = { current_password: ADMIN.password, password: 'a long new password' }

    expect(status).toBe(200)
    expect((await elsewhere.post('/api/auth/password', change)).status).toBe(204)
  })

  test('of one network of IPv6 (/64) are those of one address', async () => {
    for (let turn = 1; turn <= 5; turn += 1) {
      expect(await attempt(sixth, 'wrong', `2001:db8:1:2::${turn}`)).toAnswer(wrong)
    }

    expect(await attempt(sixth, ADMIN.password, '2001:db8:1:2:ffff::1')).toAnswer(throttled)
    expect((await attempt(sixth, ADMIN.password, '2001:db8:1:3::1')).status).toBe(200)
  })

  test('do not lock another account', async () => {
    expect((await attempt(ADMIN.email, ADMIN.password, '192.0.2.9')).status).toBe(200)
  })

  test('are reset by a success', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let turn = 0; turn < 4; turn += 1) {
        expect(await attempt(ADMIN.email, 'wrong', '192.0.2.10')).toAnswer(wrong)
      }
      expect((await attempt(ADMIN.email, ADMIN.password, '192.0.2.10')).status).toBe(200)
    }
  })

  test('are 429 for an address after the twentieth, whatever headers the client sends', async () => {
    const accounts = [...others, 'u18@control.example', 'u19@control.example']
    const twenty = accounts.map((account, turn) =>
      attempt(account, 'wrong', `198.51.100.${turn}, 203.0.113.1`),
    )
    for (const answer of await Promise.all(twenty)) expect(answer).toAnswer(wrong)

    expect(await attempt('u21@control.example', 'wrong', '203.0.113.1')).toAnswer(throttled)
    expect(await attempt('u21@control.example', 'wrong', '203.0.113.2')).toAnswer(wrong)
  })

  test('do not end existing sessions', async () => {
    expect((await dashboard.client().get('/api/servers')).status).toBe(200)
  })
})
