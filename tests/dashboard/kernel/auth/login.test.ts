import { describe, expect, spyOn, test } from 'bun:test'
import { insertUser } from '#dashboard/kernel/auth/grants.queries.ts'
import { openSession } from '#dashboard/kernel/auth/sessions.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const right = { email: EMAIL, password: PASSWORD }
const wrong = { email: EMAIL, password: 'guess' }

describe('a login', () => {
  test('returns the user, and sets a cookie for seven days and one for a year', async () => {
    await using dashboard = await makeDashboard()

    const response = await dashboard.send('POST', '/api/auth/login', right)

    expect(await response.json()).toEqual({
      user: { id: 1, email: EMAIL, name: 'Administrator' },
    })
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^session=[\w.-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
      expect.stringMatching(
        /^device=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/,
      ),
    ])
  })

  test('never continues a session that the browser has, whoever has planted it (fixation)', async () => {
    await using dashboard = await makeDashboard()
    const planted = (await dashboard.signInWith(['viewer'])).cookie
    const [emailOf, logIn] = [
      async (cookie: string) =>
        (await dashboard.call('GET', '/api/auth/me', undefined, { cookie })).body.user?.email,
      async (cookie: string) => {
        const answer = await dashboard.send('POST', '/api/auth/login', right, { cookie })
        return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      },
    ]

    const made = [await logIn(planted), await logIn('session=chosen'), await logIn('')]

    expect(new Set([planted, 'session=chosen', ...made]).size).toBe(5)
    expect(await Promise.all(made.map(emailOf))).toEqual([EMAIL, EMAIL, EMAIL])
    expect(await emailOf(planted)).toBe('account-2@control.example')
    expect(await emailOf('session=chosen')).toBeUndefined()
  })

  test('costs the same for an unknown account', async () => {
    await using dashboard = await makeDashboard()
    using verify = spyOn(Bun.password, 'verify')
    const costs = async (email: string) => {
      verify.mockClear()
      await dashboard.call('POST', '/api/auth/login', { email, password: 'guess' })
      return verify.mock.calls.map(([, hash]) => String(hash).split('$').slice(0, 4))
    }

    const known = await costs(EMAIL)

    expect(known).toEqual([['', 'argon2id', 'v=19', 'm=8,t=1,p=1']])
    expect(await costs('nobody@control.example')).toEqual(known)
  })

  test('opens no account without a password, and costs the same for it', async () => {
    await using dashboard = await makeDashboard()
    const user = { id: 2, email: 'anna@control.example', name: 'Anna' }
    const created_at = '2026-11-20T14:05:02.000Z'
    await insertUser(dashboard.deps, { ...user, password_hash: '', created_at }, [])
    using verify = spyOn(Bun.password, 'verify')

    const { status } = await dashboard.call('POST', '/api/auth/login', {
      email: user.email,
      password: ' ',
    })

    expect(status).toBe(401)
    expect(verify.mock.calls.map(([, hash]) => String(hash).split('$')[1])).toEqual(['argon2id'])
    const cookie = `session=${await openSession(dashboard.deps, user)}`
    const body = { password: 'guess' }
    const confirmed = await dashboard.call('POST', '/api/auth/confirm', body, { cookie })
    expect([confirmed.status, confirmed.body.message]).toEqual([
      409,
      'Your account has no password: log out and log in again, which counts as a confirmation for ten minutes',
    ])
  })

  test('is 429 after five failures of the account from one address, for a quarter of an hour', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const login = (body: unknown) => dashboard.send('POST', '/api/auth/login', body)
    for (let failure = 0; failure < 5; failure++) await login(wrong)

    const refusal = await login(right)
    clock.move(15 * 60_000)
    const later = await login(right)

    expect(refusal.status).toBe(429)
    expect(refusal.headers.get('retry-after')).toBe('900')
    expect(await refusal.json()).toMatchObject({ error: 'Too many requests' })
    expect(later.status).toBe(200)
  })

  test('is 429 after five failures, also when they arrive at once', async () => {
    await using dashboard = await makeDashboard()
    const tries = Array.from({ length: 12 }, () => dashboard.call('POST', '/api/auth/login', wrong))

    const answers = (await Promise.all(tries)).map(({ status }) => status)

    expect(answers.filter((status) => status === 401)).toHaveLength(5)
    expect(answers.filter((status) => status === 429)).toHaveLength(7)
  })
})
