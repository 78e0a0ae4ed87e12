import { describe, expect, test } from 'bun:test'
import { findTokenCaller } from '#dashboard/kernel/auth/api-tokens.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const DAY_MS = 24 * 3600_000
const made = { name: ' backup ', password: PASSWORD }

const create = (dashboard: Dashboard, body: object = {}) =>
  dashboard.call('POST', '/api/auth/tokens', { ...made, ...body })
const as = (plaintext: string) => ({ cookie: '', authorization: `Bearer ${plaintext}` })
const me = async (dashboard: Dashboard, plaintext: string) =>
  (await dashboard.call('GET', '/api/auth/me', undefined, as(plaintext))).status

describe('an API token', () => {
  test('is shown once, works as a bearer, and ends when it is deleted', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const { status, body } = await create(dashboard)

    const before = await me(dashboard, body.plaintext)
    const list = await dashboard.call('GET', '/api/auth/tokens')
    const removed = await dashboard.call('DELETE', `/api/auth/tokens/${body.token.id}`)
    const after = await me(dashboard, body.plaintext)

    const token = {
      id: 1,
      name: 'backup',
      scope: 'operate',
      addresses: null,
      only_for: null,
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-04-01T00:00:00.000Z',
      last_used_at: null,
      last_address: null,
      refused: 0,
    }
    expect([status, body.token]).toEqual([201, token])
    expect([before, removed.status, after]).toEqual([200, 204, 401])
    expect(list.body.tokens).toEqual([{ ...token, last_used_at: token.created_at }])
    expect(JSON.stringify(list.body)).not.toContain(body.plaintext)
  })

  test('has an entry of the activity for its first use from each address', async () => {
    await using dashboard = await makeDashboard()
    const { plaintext } = (await create(dashboard)).body
    const use = (address: string) => findTokenCaller(dashboard.deps, new Secret(plaintext), address)

    for (const address of ['203.0.113.7', '203.0.113.7', '2001:db8::1', '2001:db8::2', ''])
      expect((await use(address))?.caller.token_name).toBe('backup')
    await Promise.all(Array.from({ length: 3 }, () => use('203.0.113.8')))

    const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
    const entry = (type: string, address: string | null, values: object) => ({
      ...{ type, address, actor: 'ann@control.example', ...values },
    })
    const used = { token: 'backup', via: 'token', detail: null }
    expect(activities.slice(0, 4)).toMatchObject([
      entry('auth.token_use', '203.0.113.8', used),
      entry('auth.token_use', '2001:db8::1', used),
      entry('auth.token_use', '203.0.113.7', used),
      entry('auth.token_create', null, { via: 'session', detail: 'backup, operate' }),
    ])
  })

  test('of another user or of nobody is 404', async () => {
    await using dashboard = await makeDashboard()

    expect(await dashboard.call('DELETE', '/api/auth/tokens/1')).toEqual({
      status: 404,
      body: { error: 'Not found', message: 'Token not found' },
    })
  })

  test.each([
    [{}, 90],
    [{ expires_in_days: 1 }, 1],
    [{ expires_in_days: 365 }, 365],
  ])('made with %j is 401 after %d days', async (body, days) => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const { plaintext } = (await create(dashboard, body)).body

    clock.move(days * DAY_MS - 1)
    const last = await me(dashboard, plaintext)
    clock.move(1)

    expect([last, await me(dashboard, plaintext)]).toEqual([200, 401])
  })

  test.each<[object, object]>([
    [{ password: 'guess' }, { password: ['Is not the current password'] }],
    [{ password: undefined }, { password: ['Password is required'] }],
    [{ scope: 'root' }, { scope: ['Must be one of read, operate, admin'] }],
    ...[0, 366, 1.5, '90', null].map((expires_in_days): [object, object] => [
      { expires_in_days },
      { expires_in_days: ['Must be a whole number of days between 1 and 365'] },
    ]),
  ])('is not made with %j', async (body, fields) => {
    await using dashboard = await makeDashboard()

    expect(await create(dashboard, body)).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields },
    })
    expect((await dashboard.call('GET', '/api/auth/tokens')).body).toEqual({ tokens: [] })
  })

  test('is refused with 429 after five wrong passwords in this session, without affecting other calls', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    for (let turn = 0; turn < 5; turn++) await create(dashboard, { password: 'guess' })

    const refused = await dashboard.send('POST', '/api/auth/tokens', made)
    const mine = dashboard.token
    await dashboard.signIn()
    const other = await create(dashboard)
    dashboard.token = mine
    const change = { current_password: PASSWORD, password: 'another long one' }
    const changed = await dashboard.call('POST', '/api/auth/password', change)

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '900'])
    expect([other.status, changed.status]).toEqual([201, 204])
  })

  test('ends with a logout everywhere, and with a change of the password on request', async () => {
    await using dashboard = await makeDashboard()
    const first = (await create(dashboard)).body.plaintext
    const change = { current_password: PASSWORD, password: 'another long one' }
    await dashboard.call('POST', '/api/auth/password', change)
    const kept = await me(dashboard, first)
    const again = { current_password: change.password, password: PASSWORD, end_tokens: true }
    await dashboard.call('POST', '/api/auth/password', again)
    const ended = await me(dashboard, first)
    const second = (await create(dashboard)).body.plaintext

    await dashboard.call('POST', '/api/auth/logout-everywhere')

    expect([kept, ended, await me(dashboard, second)]).toEqual([200, 401, 401])
  })
})
