import { expect, test } from 'bun:test'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const OWN = ['own.read', 'own']
const WITH_SECRETS = [...OWN, 'client', 'read', 'restore', 'operate', 'login', 'secrets']

/** The headers of an API token of the account that the headers sign in. */
async function tokenOf(dashboard: Dashboard, scope: string, headers?: Record<string, string>) {
  const call = { name: 'script', scope, password: PASSWORD }
  const { body } = await dashboard.call('POST', '/api/auth/tokens', call, headers)
  return { cookie: '', authorization: `Bearer ${body.plaintext}` }
}

test.each([
  [['viewer'], 'viewer', false, [...OWN, 'client', 'read']],
  [['operator'], 'operator', false, [...OWN, 'client', 'read', 'restore', 'operate']],
  [['operator', 'secrets'], 'operator', true, WITH_SECRETS],
  [['admin'], 'admin', true, [...WITH_SECRETS, 'admin']],
  [['owner'], 'owner', true, [...WITH_SECRETS, 'admin', 'accounts']],
  [[], null, false, OWN],
] as const)(
  'an account with the grants %j has the role %s',
  async (gives, role, secrets, rights) => {
    await using dashboard = await makeDashboard()
    const headers = await dashboard.signInWith(gives)

    const { status, body } = await dashboard.call('GET', '/api/auth/rights', undefined, headers)

    expect([status, body]).toEqual([200, { role, secrets, rights: [...rights], parts: [] }])
  },
)

test.each([
  ['read', ['own.read', 'client', 'read']],
  ['operate', ['own.read', 'client', 'read', 'restore', 'operate']],
  ['admin', WITH_SECRETS],
])('a token of the scope %s has the rights of its account within it', async (scope, rights) => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  const account = await dashboard.signInWith(['operator', 'secrets'])
  const headers = await tokenOf(dashboard, scope, account)

  const shown = await dashboard.call('GET', '/api/auth/rights', undefined, headers)
  const token = await dashboard.call('GET', '/api/token', undefined, headers)

  expect(shown.body).toEqual({ role: 'operator', secrets: true, rights, parts: [] })
  expect([token.status, token.body]).toEqual([
    200,
    {
      name: 'script',
      scope,
      role: 'operator',
      rights,
      parts: [],
      addresses: null,
      only_for: null,
      expires_at: '2026-04-01T00:00:00.000Z',
    },
  ])
})

test('a session has no token to show', async () => {
  await using dashboard = await makeDashboard()

  expect(await dashboard.call('GET', '/api/token')).toEqual({
    status: 404,
    body: { error: 'Not found', message: 'API token not found' },
  })
})
