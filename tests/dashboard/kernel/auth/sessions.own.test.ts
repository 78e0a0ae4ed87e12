import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { sessions } from '#dashboard/kernel/db/auth-schema.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const LONG = `curl/8.14.1 ${'x'.repeat(10_000)}`

/** The cookie of a login with this User-Agent. */
async function login(dashboard: Dashboard, agent: string) {
  const body = { email: EMAIL, password: PASSWORD }
  const headers = { cookie: '', 'user-agent': agent }
  const response = await dashboard.send('POST', '/api/auth/login', body, headers)
  return { cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

const listed = async (dashboard: Dashboard, headers?: Record<string, string>) =>
  (await dashboard.call('GET', '/api/auth/sessions', undefined, headers)).body.sessions

const me = async (dashboard: Dashboard, headers: Record<string, string>) =>
  (await dashboard.call('GET', '/api/auth/me', undefined, headers)).status

test('the own sessions are listed, without what their tokens are made of', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  clock.move(90_000)
  const headers = await login(dashboard, FIREFOX)
  await dashboard.signInWith(['owner'])

  const list = await listed(dashboard, headers)

  const id = expect.stringMatching(/^[\w-]{22}$/)
  expect(list).toEqual([
    {
      id,
      device: 'Firefox on Linux',
      address: '',
      created_at: '2026-01-01T00:01:30.000Z',
      last_used_at: '2026-01-01T00:01:30.000Z',
      is_current: true,
    },
    {
      id,
      device: 'Unknown device',
      address: '',
      created_at: '2026-01-01T00:00:00.000Z',
      last_used_at: '2026-01-01T00:00:00.000Z',
      is_current: false,
    },
  ])
  const rows = await dashboard.db.read.select({ jti: sessions.jti }).from(sessions)
  for (const { jti } of rows) expect(JSON.stringify(list)).not.toContain(jti)
})

test('the last use is written at most once a minute', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  const last = async () => (await dashboard.db.read.select().from(sessions))[0]?.last_used_at
  const times: unknown[] = []
  for (const ms of [0, 59_999, 1, 59_999, 1]) {
    clock.move(ms)
    await dashboard.call('GET', '/api/auth/tokens')
    times.push(await last())
  }

  expect(times).toEqual([
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:01:00.000Z',
    '2026-01-01T00:01:00.000Z',
    '2026-01-01T00:02:00.000Z',
  ])
})

test('one of the own sessions is ended, and the others stay', async () => {
  await using dashboard = await makeDashboard()
  const other = await login(dashboard, FIREFOX)
  const [session] = await listed(dashboard, other)

  const ended = await dashboard.call('DELETE', `/api/auth/sessions/${session.id}`)
  const again = await dashboard.call('DELETE', `/api/auth/sessions/${session.id}`)

  expect([ended.status, again.status]).toEqual([204, 404])
  expect([await me(dashboard, other), await me(dashboard, {})]).toEqual([401, 200])
  const { activities } = (await dashboard.call('GET', '/api/fleet/activity?limit=1')).body
  expect(activities[0]).toMatchObject({ type: 'auth.session_end', detail: 'Firefox on Linux' })
})

test('the session of another account is not found, and stays', async () => {
  await using dashboard = await makeDashboard()
  const other = await dashboard.signInWith(['viewer'])
  const [session] = await listed(dashboard)

  const { status, body } = await dashboard.call(
    'DELETE',
    `/api/auth/sessions/${session.id}`,
    undefined,
    other,
  )

  expect([status, body]).toEqual([404, { error: 'Not found', message: 'Session not found' }])
  expect(await me(dashboard, {})).toBe(200)
})

test('an API token cannot end a session', async () => {
  await using dashboard = await makeDashboard()
  const call = { name: 'script', scope: 'admin', password: PASSWORD }
  const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', call)).body
  const [session] = await listed(dashboard)
  const headers = { cookie: '', authorization: `Bearer ${plaintext}` }

  const { status } = await dashboard.call(
    'DELETE',
    `/api/auth/sessions/${session.id}`,
    undefined,
    headers,
  )

  expect([status, await me(dashboard, {})]).toEqual([403, 200])
})

test('a long User-Agent is cut, and one that others have changed ends the session', async () => {
  await using dashboard = await makeDashboard()
  const other = await login(dashboard, LONG)
  const isLong = eq(sessions.user_agent, LONG.slice(0, 256))
  const before = await me(dashboard, other)
  const changed = { user_agent: '' }

  const rows = await dashboard.db.write((queries) =>
    queries.update(sessions).set(changed).where(isLong).returning({ jti: sessions.jti }),
  )

  expect([before, rows.length, await me(dashboard, other)]).toEqual([200, 1, 401])
})

test('a session from before it had a device is valid and listed', async () => {
  await using dashboard = await makeDashboard()
  const { marks } = dashboard.deps
  const [row] = await dashboard.db.read.select().from(sessions)
  if (!row) throw new Error('There is no session')
  const { jti, user_id, created_at, renewed_at, expires_at, confirmed_at } = row
  const old = { jti, user_id, created_at, renewed_at, expires_at, confirmed_at }
  const mark = marks.of('sessions', old)
  await dashboard.db.write((queries) => queries.delete(sessions))
  await dashboard.db.write((queries) => queries.insert(sessions).values({ ...old, mark }))

  const list = await listed(dashboard)

  expect(list).toMatchObject([{ device: 'Unknown device', address: '', is_current: true }])
})
