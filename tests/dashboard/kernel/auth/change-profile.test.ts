import { expect, test } from 'bun:test'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { findSessionsOf, findUser, updateProfile } from '#dashboard/kernel/auth/queries.ts'
import { EMAIL, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const ME = '/api/auth/me'

test('the own name is changed without the password', async () => {
  await using dashboard = await makeDashboard()

  const { status, body } = await dashboard.call('PATCH', ME, { name: ' Ann Example ' })

  const user = { id: 1, email: EMAIL, name: 'Ann Example' }
  expect([status, body]).toEqual([200, { user }])
  expect((await dashboard.call('GET', ME)).body).toEqual({ user })
  const { activities } = (await dashboard.call('GET', '/api/fleet/activity?limit=1')).body
  expect(activities[0]).toMatchObject({
    type: 'auth.profile',
    detail: 'name from Administrator to Ann Example',
  })
})

test('another address needs the password, and is that of the next login', async () => {
  await using dashboard = await makeDashboard()
  const email = 'Ann.New@Control.example'
  const login = async (address: string) =>
    (await dashboard.call('POST', '/api/auth/login', { email: address, password: PASSWORD })).status

  const without = await dashboard.call('PATCH', ME, { email })
  const wrong = await dashboard.call('PATCH', ME, { email, password: 'guess' })
  const unchanged = await dashboard.call('GET', ME)
  const changed = await dashboard.call('PATCH', ME, { email, password: PASSWORD })

  expect([without.status, without.body.fields]).toEqual([
    422,
    { password: ['Is required to change the e-mail address'] },
  ])
  expect([wrong.status, wrong.body.fields]).toEqual([
    422,
    { password: ['Is not the current password'] },
  ])
  expect(unchanged.body.user.email).toBe(EMAIL)
  expect(changed.body.user.email).toBe('ann.new@control.example')
  expect([await login(EMAIL), await login(email)]).toEqual([401, 200])
})

test('the address of another account is refused', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.signInWith(['viewer'])
  const call = { email: 'ACCOUNT-2@control.example', password: PASSWORD }

  const { status, body } = await dashboard.call('PATCH', ME, call)

  expect([status, body.fields]).toEqual([422, { email: ['Belongs to another account'] }])
})

test.each([
  [{ id: 2 }, 'id'],
  [{ role: 'owner' }, 'role'],
  [{ password_hash: 'x' }, 'password_hash'],
  [{ name: '' }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ email: 'nobody' }, 'email'],
])('%j is refused', async (call, field) => {
  await using dashboard = await makeDashboard()

  const { status, body } = await dashboard.call('PATCH', ME, { ...call, password: PASSWORD })

  expect([status, Object.keys(body.fields)]).toEqual([422, [field]])
})

test('two changes at once leave an account that can be used', async () => {
  await using dashboard = await makeDashboard()
  const next = 'another long password'
  const changes = [
    ...['A', 'B', 'C'].map((name) => dashboard.call('PATCH', ME, { name })),
    dashboard.call('POST', '/api/auth/password', { current_password: PASSWORD, password: next }),
  ]

  const statuses = (await Promise.all(changes)).map(({ status }) => status)

  expect(statuses.every((status) => [200, 204, 409].includes(status))).toBe(true)
  expect((await dashboard.call('GET', ME)).status).toBe(200)
  const password = statuses.at(-1) === 204 ? next : PASSWORD
  expect((await dashboard.call('POST', '/api/auth/login', { email: EMAIL, password })).status).toBe(
    200,
  )
})

test('a change of what was changed meanwhile is refused, and the account can be used', async () => {
  await using dashboard = await makeDashboard()
  const { deps } = dashboard
  const user = await findUser(deps, 1)
  if (!user) throw new Error('There is no first user')
  await dashboard.call('PATCH', ME, { name: 'First' })
  const entry = entryOf(deps.clock, { type: 'auth.profile', user_id: 1 })

  const [session] = await findSessionsOf(deps, 1, entry.created_at)
  const change = { user, session: session?.jti ?? '' }
  const isWritten = await updateProfile(deps, change, { email: EMAIL, name: 'Second' }, entry)

  expect(isWritten).toBe(false)
  expect((await dashboard.call('GET', ME)).body.user.name).toBe('First')
})
