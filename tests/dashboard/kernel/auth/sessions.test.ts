import { describe, expect, test } from 'bun:test'
import { sessions } from '#dashboard/kernel/db/auth-schema.ts'
import { deleteExpired } from '#dashboard/kernel/db/retention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const DAY_MS = 24 * 3600_000
const me = async (dashboard: Dashboard, headers: Record<string, string> = {}) =>
  (await dashboard.send('GET', '/api/auth/me', undefined, headers)).status

/** Another session of the same user, by its token. */
async function elsewhere(dashboard: Dashboard): Promise<string> {
  const mine = dashboard.token
  await dashboard.signIn()
  const { token } = dashboard
  dashboard.token = mine
  return token
}

describe('a session', () => {
  test('ends with its logout, without ending others', async () => {
    await using dashboard = await makeDashboard()
    const other = { cookie: `session=${await elsewhere(dashboard)}` }

    const { status, headers } = await dashboard.send('POST', '/api/auth/logout')

    expect(status).toBe(204)
    expect(headers.getSetCookie()[0]).toStartWith('session=; Max-Age=0; Path=/;')
    expect(await me(dashboard)).toBe(401)
    expect(await me(dashboard, other)).toBe(200)
  })

  test('ends with a logout everywhere', async () => {
    await using dashboard = await makeDashboard()
    const other = { cookie: `session=${await elsewhere(dashboard)}` }

    await dashboard.send('POST', '/api/auth/logout-everywhere')

    expect([await me(dashboard), await me(dashboard, other)]).toEqual([401, 401])
  })

  test('expires after seven days, and is renewed after half of them', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const ask = () => dashboard.send('GET', '/api/auth/me')
    clock.move(3 * DAY_MS)
    const early = (await ask()).headers.getSetCookie()
    clock.move(DAY_MS)
    const [line = ''] = (await ask()).headers.getSetCookie()
    clock.move(4 * DAY_MS)
    const renewed = { cookie: line.split(';')[0] ?? '' }

    expect(early).toEqual([])
    expect(await me(dashboard)).toBe(401)
    expect(await me(dashboard, renewed)).toBe(200)
    clock.move(3 * DAY_MS)
    expect(await me(dashboard, renewed)).toBe(401)
  })

  test('that has expired is an entry of the activity, once', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    clock.move(8 * DAY_MS)

    await deleteExpired(dashboard.db, clock.now())
    await deleteExpired(dashboard.db, clock.now())

    await dashboard.signIn()
    const path = '/api/fleet/activity?type=auth.session_expire'
    expect((await dashboard.call('GET', path)).body.activities).toMatchObject([
      {
        status: 'success',
        created_at: '2026-01-08T00:00:00.000Z',
        actor: 'ann@control.example',
        address: null,
        via: 'system',
        detail: 'sign-in at 2026-01-01T00:00:00.000Z',
      },
    ])
  })

  test('expires by its row, whatever the token says', async () => {
    await using dashboard = await makeDashboard()
    const expires_at = '2020-01-01T00:00:00.000Z'

    await dashboard.db.write((queries) => queries.update(sessions).set({ expires_at }))

    expect(await me(dashboard)).toBe(401)
  })

  test('works in an Authorization header too', async () => {
    await using dashboard = await makeDashboard()
    const headers = { cookie: '', authorization: `Bearer ${dashboard.token}` }

    expect(await me(dashboard, headers)).toBe(200)
  })
})
