import { afterAll, beforeAll, expect, test } from 'bun:test'
import { identity_providers } from '#dashboard/kernel/db/identity-schema.ts'
import { startForger } from '#tests/support/oidc/forger.ts'
import { CLIENT, type RealProvider, startProvider } from '#tests/support/oidc/provider.ts'
import { activityOf, redirectOf, startSso, WEB } from '#tests/support/oidc/sso.ts'

let provider: RealProvider
beforeAll(async () => {
  provider = await startProvider({ redirect_uris: [redirectOf('main')] })
})
afterAll(() => provider[Symbol.asyncDispose]())

const shown = (more: object = {}) => ({
  key: 'main',
  name: 'Main',
  issuer: provider.issuer,
  client_id: CLIENT.client_id,
  scope: 'openid email profile',
  is_enabled: true,
  own_factor: false,
  claim: null,
  roles: [],
  redirect_uri: redirectOf('main'),
  accounts: 0,
  only_way: 0,
  created_at: expect.any(String),
  ...more,
})

test('a provider is shown with its redirect address, and never with its secret', async () => {
  await using sso = await startSso(provider)

  const listed = await sso.call('GET', '/api/identity-providers')

  expect(listed).toEqual({
    status: 200,
    body: { providers: [shown()], redirect_base: `${WEB}/sso/`, problem: null },
  })
  const [row] = await sso.dashboard.db.read.select().from(identity_providers)
  expect(JSON.stringify(row)).not.toContain(CLIENT.client_secret)
  expect(JSON.stringify(sso.dashboard.log)).not.toContain(CLIENT.client_secret)
  expect(await activityOf(sso)).toEqual([
    ['sso.provider_create', 'success', 'ann@control.example', `Main, ${provider.issuer}`],
  ])
})

test('a change says what it has changed, and none changes nothing', async () => {
  await using sso = await startSso(provider)
  const change = (body: object) => sso.call('PATCH', '/api/identity-providers/main', body)
  const roles = [{ value: 'staff', role: 'viewer' }]

  const changed = await change({
    name: 'Staff',
    client_secret: 'another-secret',
    own_factor: true,
    claim: 'groups',
    roles,
  })
  const again = await change({ name: 'Staff', claim: 'groups', roles })

  const after = { provider: shown({ name: 'Staff', own_factor: true, claim: 'groups', roles }) }
  expect([changed, again]).toEqual([
    { status: 200, body: after },
    { status: 200, body: after },
  ])
  expect(await activityOf(sso, 2)).toEqual([
    [
      'sso.provider_update',
      'success',
      'ann@control.example',
      'Staff: name, client secret, second factor, claim, roles, claim groups: staff → viewer',
    ],
    ['sso.provider_create', 'success', 'ann@control.example', `Main, ${provider.issuer}`],
  ])
})

test('a wrong secret is found by a login, and a right one works at once', async () => {
  await using sso = await startSso(provider, { client_secret: 'a-wrong-one' })
  const before = await sso.owner().link(provider)

  const { client_secret } = CLIENT
  await sso.call('PATCH', '/api/identity-providers/main', { client_secret })

  expect([before.status, (await sso.owner().link(provider)).status]).toEqual([401, 200])
})

test.each([
  ['a claim without a value', { claim: 'groups', roles: [] }, 'roles'],
  ['an issuer without TLS', { issuer: 'http://login.example.com' }, 'issuer'],
  ['an issuer with a query', { issuer: 'https://login.example.com/?a=b' }, 'issuer'],
  ['an issuer with a password', { issuer: 'https://a:b@login.example.com' }, 'issuer'],
  ['a key with a slash', { key: 'a/b' }, 'key'],
  ['a scope without openid', { scope: 'email' }, 'scope'],
  ['no secret', { client_secret: '' }, 'client_secret'],
])('%s is refused', async (_, more, field) => {
  const { status, body } = await shared.call('POST', '/api/identity-providers', {
    ...{ key: 'other', name: 'Other', issuer: 'https://login.example.com', ...CLIENT },
    ...more,
  })

  expect([status, Object.keys(body.fields)]).toEqual([422, [field]])
})

let shared: Awaited<ReturnType<typeof startSso>>
beforeAll(async () => {
  shared = await startSso(provider)
})
afterAll(() => shared[Symbol.asyncDispose]())

test('a dashboard has five providers, each with a key, a name and an issuer of its own', async () => {
  await using sso = await startSso(provider)
  const forgers = await Promise.all([1, 2, 3, 4, 5].map(() => startForger()))
  const add = (more: object) =>
    sso.call('POST', '/api/identity-providers', { key: 'b', name: 'B', ...CLIENT, ...more })
  const [first, ...others] = forgers.map(({ issuer }) => issuer)

  const taken = [
    await add({ issuer: provider.issuer }),
    await add({ issuer: first, key: 'main' }),
    await add({ issuer: first, name: 'Main' }),
  ]
  const statuses = []
  for (const issuer of others)
    statuses.push((await add({ issuer, key: `k${statuses.length}`, name: issuer })).status)
  const sixth = await add({ issuer: first })

  expect(taken.map(({ body }) => body.fields)).toEqual([
    { issuer: ['Another provider has this issuer'] },
    { key: ['Another provider has this key'] },
    { name: ['Another provider has this name'] },
  ])
  expect(statuses).toEqual([201, 201, 201, 201])
  expect([sixth.status, sixth.body.message]).toEqual([
    409,
    'A dashboard has at most 5 identity providers',
  ])
  await Promise.all(forgers.map((forger) => forger[Symbol.asyncDispose]()))
})

test('a removed provider takes its identities with it, and says before whom it locks out', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  provider.who = 'ben'
  const visitor = sso.visitor()
  await visitor.logIn(provider, { invitation: await sso.token(await sso.addPerson('Ben')) })
  provider.who = 'anna'
  const { providers } = (await sso.call('GET', '/api/identity-providers')).body

  const removed = await sso.call('DELETE', '/api/identity-providers/main')

  expect(providers).toEqual([shown({ accounts: 2, only_way: 1 })])
  expect(removed.status).toBe(204)
  expect((await visitor.get('/api/auth/me')).status).toBe(401)
  expect((await sso.owner().get('/api/auth/identities')).body).toEqual({
    identities: [],
    has_password: true,
  })
})
