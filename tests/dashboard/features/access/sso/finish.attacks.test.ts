// tier: gate
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { sso_flows } from '#dashboard/kernel/db/identity-schema.ts'
import { EMAIL } from '#tests/support/dashboard/dashboard.ts'
import { tamper } from '#tests/support/dashboard/record.ts'
import { startForger } from '#tests/support/oidc/forger.ts'
import { CLIENT, type RealProvider, startProvider } from '#tests/support/oidc/provider.ts'
import {
  AGAIN,
  activityOf,
  addProvider,
  NO_ACCOUNT,
  NOT_BEGUN,
  redirectOf,
  startSso,
  WEB,
} from '#tests/support/oidc/sso.ts'

let provider: RealProvider
beforeAll(async () => {
  const redirect_uris = [redirectOf('main'), redirectOf('other')]
  provider = await startProvider({ redirect_uris })
  provider.people.set('anna', { email: 'anna@provider.example' })
})
afterAll(() => provider[Symbol.asyncDispose]())

/** A dashboard whose owner is linked with the subject `anna` of a forger. */
async function startForged() {
  const forger = await startForger()
  const sso = await startSso(forger)
  const linked = await sso.owner().link(forger)
  if (linked.status !== 200) throw new Error(JSON.stringify(linked.body))
  return {
    forger,
    sso,
    async [Symbol.asyncDispose]() {
      await sso[Symbol.asyncDispose]()
      await forger[Symbol.asyncDispose]()
    },
  }
}

describe('an ID token is refused', () => {
  let forged: Awaited<ReturnType<typeof startForged>>
  beforeAll(async () => {
    forged = await startForged()
  })
  afterAll(() => forged[Symbol.asyncDispose]())

  const now = () => Math.floor(Date.now() / 1000)
  test.each([
    ['of a forged issuer', { claims: { iss: 'https://evil.example' } }],
    ['for another client', { claims: { aud: 'another-client' } }],
    [
      'for several clients, of which another one asked for it',
      { claims: { aud: ['hosting-control', 'b'], azp: 'b' } },
    ],
    ['of another login', { claims: { nonce: 'a-nonce-of-another-login' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { exp: now() - 3600 } }],
    ['that the provider has not signed', { other_key: true }],
    ['for nobody', { claims: { sub: '' } }],
  ])('%s', async (_, forgery) => {
    const { forger, sso } = forged
    forger.forgery = {}
    expect((await sso.visitor().logIn(forger)).status).toBe(200)
    forger.forgery = forgery

    const visitor = sso.visitor()
    const { status, body } = await visitor.logIn(forger)

    expect([status, body]).toEqual([401, AGAIN])
    expect(visitor.cookies['__Host-session']).toBeUndefined()
    expect((await activityOf(sso))[0].slice(0, 2)).toEqual(['auth.login', 'failed'])
  })
})

test('an account is never found by an e-mail address, verified or not', async () => {
  await using sso = await startSso(provider)
  const answers = []
  for (const email_verified of [true, false, undefined]) {
    provider.people.set('mallory', { email: EMAIL, email_verified, preferred_username: EMAIL })
    provider.who = 'mallory'
    answers.push((await sso.visitor().logIn(provider)).body)
  }
  provider.who = 'anna'

  expect(answers).toEqual([NO_ACCOUNT, NO_ACCOUNT, NO_ACCOUNT])
})

test('the same subject of another issuer is somebody else', async () => {
  await using forged = await startForged()
  const { sso } = forged
  await addProvider(sso, { key: 'other', name: 'Other', issuer: provider.issuer })

  expect((await sso.visitor().logIn(provider, {}, 'other')).body).toEqual(NO_ACCOUNT)
})

test('a code and a state are used once, also at the same time', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const visitor = sso.visitor()
  const query = await provider.authorize(await visitor.begin('main'))
  const same = () => Object.assign(sso.visitor(), { cookies: visitor.cookies })

  const both = await Promise.all([same().finish('main', query), same().finish('main', query)])
  const later = await same().finish('main', query)

  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  expect(later.body).toEqual(NOT_BEGUN)
})

test('a code is of no use with the state of another login', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const visitor = sso.visitor()
  const stolen = new URLSearchParams(await provider.authorize(await visitor.begin('main')))
  const own = new URL(await visitor.begin('main')).searchParams.get('state') ?? ''
  stolen.set('state', own)

  expect((await visitor.finish('main', `?${stolen}`)).body).toEqual(AGAIN)
})

test('of two tabs that have begun a login, the last one ends it, once', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const browser = sso.visitor()
  const first = await provider.authorize(await browser.begin('main'))
  const last = await provider.authorize(await browser.begin('main'))

  const answers = [
    await browser.finish('main', first),
    await browser.finish('main', last),
    await browser.finish('main', last),
    await browser.finish('main', first),
  ]

  expect(answers.map(({ status }) => status)).toEqual([401, 200, 401, 401])
  expect(answers[0]?.body).toEqual(NOT_BEGUN)
})

test('nobody is logged in to the account of whoever has begun the login (login CSRF)', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const attacker = sso.visitor()
  const query = await provider.authorize(await attacker.begin('main'))
  const victim = sso.visitor()
  const without = await victim.finish('main', query)
  await victim.begin('main')

  const withOwn = await victim.finish('main', query)

  expect([without.body, withOwn.body]).toEqual([NOT_BEGUN, NOT_BEGUN])
  expect(victim.cookies['__Host-session']).toBeUndefined()
  // Nobody else can use it up.
  expect((await attacker.finish('main', query)).status).toBe(200)
})

test('another site cannot end a login in the browser of somebody who is signed in', async () => {
  await using sso = await startSso(provider)
  const owner = sso.owner()
  const query = await provider.authorize(await owner.begin('main'))

  const { status } = await owner.finish('main', query, {
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  })

  expect(status).toBe(403)
})

test('nobody links an own identity with the account of somebody else', async () => {
  await using sso = await startSso(provider)
  const anna = await sso.colleague('Anna', { role: 'viewer' })
  const session = anna.headers.cookie.replace('__Host-session=', '')
  const attacker = sso.visitor({ '__Host-session': session })
  const begun = await attacker.post('/api/auth/identities', { provider: 'main' })
  const query = await provider.authorize(begun.body.url)
  const victim = sso.owner()
  const inOther = await victim.finish('main', query)
  // The browser has begun it, and another account is signed in by now.
  const changed = { ...attacker.cookies, '__Host-session': sso.dashboard.token }

  const afterLogin = await sso.visitor(changed).finish('main', query)

  expect([inOther.body, afterLogin.body]).toEqual([NOT_BEGUN, NOT_BEGUN])
  expect((await victim.get('/api/auth/identities')).body.identities).toEqual([])
})

test('a session that somebody has planted is not the session of the login (fixation)', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const planted = (await sso.dashboard.signInWith(['viewer'])).cookie.replace('__Host-session=', '')
  const victim = sso.visitor({ '__Host-session': planted })

  const { status } = await victim.logIn(provider)

  expect(status).toBe(200)
  expect(victim.cookies['__Host-session']).not.toBe(planted)
  expect((await victim.get('/api/auth/me')).body.user.email).toBe(EMAIL)
  const other = await sso.visitor({ '__Host-session': planted }).get('/api/auth/me')
  expect(other.body.user.email).toBe('account-2@control.example')
})

describe('an answer of one provider is not accepted as that of another one (mix-up)', () => {
  test('by its redirect address', async () => {
    await using forged = await startForged()
    const { forger, sso } = forged
    await addProvider(sso, { key: 'other', name: 'Other', issuer: provider.issuer })
    const visitor = sso.visitor()
    // The forger has sent the browser to the honest provider, and gets its code.
    const query = await provider.authorize(await visitor.begin('other'))

    expect((await visitor.finish('main', query)).body).toEqual(NOT_BEGUN)
    expect(forger.requested.filter((path) => path === '/token')).toHaveLength(1)
  })

  test('by its issuer', async () => {
    await using forged = await startForged()
    const { forger, sso } = forged
    const visitor = sso.visitor()
    const query = forger.authorize(await visitor.begin('main'))
    const iss = encodeURIComponent(provider.issuer)

    expect((await visitor.finish('main', `${query}&iss=${iss}`)).body).toEqual(AGAIN)
    expect(forger.requested.filter((path) => path === '/token')).toHaveLength(1)
  })

  test('by the issuer that the provider must name', async () => {
    await using sso = await startSso(provider)
    await sso.owner().link(provider)
    const visitor = sso.visitor()
    const params = new URLSearchParams(await provider.authorize(await visitor.begin('main')))
    params.delete('iss')

    expect((await visitor.finish('main', `?${params}`)).body).toEqual(AGAIN)
  })
})

test('a forged Host or X-Forwarded-For changes neither the redirect address nor the record', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '203.0.113.66',
    forwarded: 'host=evil.example',
  }
  const visitor = sso.visitor()

  const url = new URL(await visitor.begin('main', {}, forged))
  const { status } = await visitor.finish('main', await provider.authorize(url.href), forged)

  expect(url.searchParams.get('redirect_uri')).toBe(`${WEB}/sso/main`)
  expect(status).toBe(200)
  const { activities } = (await sso.call('GET', '/api/fleet/activity?limit=1')).body
  expect([activities[0].type, activities[0].address]).toEqual(['auth.login', null])
})

const ELSEWHERE = [
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/.//evil.example',
  'javascript:alert(1)',
  'sites',
]

test('a login leads to a page of this dashboard only (open redirect)', async () => {
  await using sso = await startSso(provider)
  const begun = ELSEWHERE.map((to) => sso.visitor().post('/api/auth/sso', { provider: 'main', to }))

  const answers = (await Promise.all(begun)).map(({ status, body }) => [status, body.fields])

  const refused = { to: ['Must be the path of a page of this dashboard'] }
  expect(answers).toEqual(ELSEWHERE.map(() => [422, refused]))
})

test('a login that somebody has changed in the database accepts no invitation', async () => {
  await using sso = await startSso(provider)
  await sso.invite(await sso.addPerson('Ben'), { role: 'owner' })
  const visitor = sso.visitor()
  const query = await provider.authorize(await visitor.begin('main'))
  const hash = '(SELECT hash FROM invitations)'
  await tamper(
    sso.dashboard,
    `UPDATE sso_flows SET purpose = 'invitation', invitation_hash = ${hash}`,
  )

  expect((await visitor.finish('main', query)).body).toEqual(NOT_BEGUN)
})

test('the records of a login have none of its secrets', async () => {
  await using sso = await startSso(provider)
  const visitor = sso.visitor()
  const { searchParams } = new URL(await visitor.begin('main'))

  const text = JSON.stringify(await sso.dashboard.db.read.select().from(sso_flows))

  for (const name of ['state', 'nonce']) expect(text).not.toContain(searchParams.get(name) ?? '?')
  expect(text).not.toContain(visitor.cookies['__Host-sso'] ?? '?')
})

test('twenty failures of an address are refused for a quarter of an hour', async () => {
  await using sso = await startSso(provider)
  const visitor = sso.visitor()
  const statuses = []
  for (let turn = 0; turn < 21; turn++)
    statuses.push((await visitor.finish('main', '?code=a&state=b')).status)

  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429])
})

describe('while a provider answers', () => {
  const during = (path: string, work: () => Promise<unknown>) => provider.before.set(path, work)
  afterEach(() => provider.before.clear())

  test.each([
    ['PATCH', { is_enabled: false }],
    ['DELETE', undefined],
  ])('it can be switched off or removed (%s): no session opens', async (method, body) => {
    await using sso = await startSso(provider)
    await sso.owner().link(provider)
    during('/token', () => sso.call(method, '/api/identity-providers/main', body))

    const { status, lines } = await sso.visitor().logIn(provider)

    expect([status, lines]).toEqual([401, []])
  })

  test('it can be switched off: an invitation stays open', async () => {
    await using sso = await startSso(provider)
    const token = await sso.token(await sso.addPerson('Ben'), { email: 'ben@example.com' })
    const body = { is_enabled: false }
    during('/token', () => sso.call('PATCH', '/api/identity-providers/main', body))

    const { status, lines } = await sso.visitor().logIn(provider, { invitation: token })

    expect([status, lines]).toEqual([404, []])
    expect((await sso.show(token)).status).toBe(200)
  })

  test('an owner can be deactivated: the provider is not added', async () => {
    await using sso = await startSso(provider)
    await using other = await startProvider({ redirect_uris: [redirectOf('other')] })
    const anna = await sso.colleague('Anna', { role: 'owner' })
    other.before.set('/.well-known/openid-configuration', () =>
      sso.call('POST', `/api/people/${anna.person_id}/account/deactivate`),
    )
    const body = { key: 'other', name: 'Other', issuer: other.issuer, ...CLIENT }

    const added = await sso.dashboard.call('POST', '/api/identity-providers', body, anna.headers)

    expect(added.status).toBe(403)
    const { providers } = (await sso.call('GET', '/api/identity-providers')).body
    expect(providers.map(({ key }: { key: string }) => key)).toEqual(['main'])
  })
})
