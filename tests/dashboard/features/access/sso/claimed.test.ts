// tier: gate
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Message } from '#dashboard/features/alerts/mailer.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, until } from '#tests/support/dashboard/dashboard.ts'
import { addGroup } from '#tests/support/dashboard/groups.ts'
import { startForger } from '#tests/support/oidc/forger.ts'
import { type Person, type RealProvider, startProvider } from '#tests/support/oidc/provider.ts'
import {
  AGAIN,
  activityOf,
  addProvider,
  NO_ACCOUNT,
  redirectOf,
  startSso,
} from '#tests/support/oidc/sso.ts'

let provider: RealProvider
beforeAll(async () => {
  provider = await startProvider({ redirect_uris: [redirectOf('main')] })
})
afterAll(() => provider[Symbol.asyncDispose]())

const MAPPED = {
  claim: 'groups',
  roles: [
    { value: 'staff', role: 'viewer' },
    { value: 'ops', role: 'operator' },
  ],
}
const BEN: Person = {
  email: 'Ben@Example.com',
  email_verified: true,
  name: 'Ben',
  groups: ['staff'],
}
beforeEach(() => {
  provider.who = 'ben'
  provider.people.set('ben', BEN)
})
const know = (more: Person) => provider.people.set('ben', { ...BEN, ...more })

const message = (text: string) => ({ error: 'Unauthorized', message: text })
const NO_ROLE = message(
  'Your login at the provider gives you no role here: ask an owner of this dashboard',
)

test('whoever has a mapped value of the claim gets an account with its role', async () => {
  await using sso = await startSso(provider, MAPPED)
  const visitor = sso.visitor()

  const { status, body } = await visitor.logIn(provider)

  const user = { id: 2, email: 'ben@example.com', name: 'Ben' }
  expect([status, body]).toEqual([200, { user, purpose: 'login', to: '/' }])
  expect((await visitor.get('/api/auth/rights')).body).toMatchObject({
    role: 'viewer',
    secrets: false,
  })
  const { people } = (await sso.call('GET', '/api/people')).body
  expect(
    people.map(({ name, account }: never) => [name, Reflect.get(account ?? {}, 'email')]),
  ).toEqual(expect.arrayContaining([['Ben', 'ben@example.com']]))
  expect(await activityOf(sso, 2)).toEqual([
    ['auth.login', 'success', 'ben@example.com', 'with Main'],
    [
      'account.create',
      'success',
      'ben@example.com',
      'Ben, ben@example.com: viewer, by the claim groups of Main',
    ],
  ])
})

test('the role follows the claim at each login, and is the highest of several', async () => {
  await using sso = await startSso(provider, MAPPED)
  const visitor = sso.visitor()
  await visitor.logIn(provider)
  know({ groups: ['ops', 'staff', 'other'] })

  await sso.visitor().logIn(provider)

  expect((await visitor.get('/api/auth/rights')).body.role).toBe('operator')
  expect((await activityOf(sso, 2))[1]).toEqual([
    'account.role',
    'success',
    'ben@example.com',
    'ben@example.com: viewer → operator, by the claim groups of Main',
  ])
  const [, ben] = (await sso.call('GET', '/api/people')).body.people
  const changed = await sso.call('PATCH', `/api/people/${ben.id}/account`, { role: 'owner' })
  expect([changed.status, changed.body.message]).toEqual([
    409,
    `The role of ben@example.com follows its claim at ${provider.issuer}`,
  ])
})

test('a group adds to the role of the claim, which each login sets without regard to it', async () => {
  await using sso = await startSso(provider, MAPPED)
  const visitor = sso.visitor()
  await visitor.logIn(provider)
  const path = await addGroup(sso, { name: 'Admins', role: 'admin', members: [2] })

  await sso.visitor().logIn(provider)

  const entries = await activityOf(sso, 2)
  expect(entries.map(([type]: string[]) => type)).toEqual(['auth.login', 'group.create'])
  const role = async () => (await visitor.get('/api/auth/rights')).body.role
  const before = await role()
  await sso.call('DELETE', path)
  expect([before, await role()]).toEqual(['admin', 'viewer'])
})

test('a role of the claim that would break the access policy is refused, and a lower one ends the sessions', async () => {
  await using sso = await startSso(provider, MAPPED)
  const visitor = sso.visitor()
  await visitor.logIn(provider)
  const rule = (text: string) => sso.call('POST', '/api/policy/rules', { rule: text })
  const loginWith = async (groups: string) => {
    know({ groups })
    return (await sso.visitor().logIn(provider)).body
  }
  const own = async () => (await visitor.get('/api/auth/rights')).body
  const refused = message(
    'The role that the provider gives you would break the access policy of this dashboard: ask an owner',
  )

  const below = await rule('ben@example.com cannot operate@*')
  expect([await loginWith('ops'), (await own()).role]).toEqual([refused, 'viewer'])
  expect((await activityOf(sso, 2))[0]).toEqual([
    'auth.login',
    'failed',
    'ben@example.com',
    'with Main: the role operator of its claim would break the access policy. A rule of the access policy would not hold any more. "ben@example.com cannot operate@*": ben@example.com can do it in the whole fleet. An owner can delete the rule on the page People first',
  ])
  await sso.call('DELETE', `/api/policy/rules/${below.body.rule.id}`)
  await loginWith('ops')
  await rule('ben@example.com can operate@*')

  expect([await loginWith('staff'), await own()]).toEqual([refused, { error: 'Unauthorized' }])
})

test('a login without the claim is refused, and ends the sessions of the account', async () => {
  await using sso = await startSso(provider, MAPPED)
  const visitor = sso.visitor()
  await visitor.logIn(provider)
  const answers: unknown[] = []
  for (const groups of [undefined, [], ['Staff'], 'staffing', { staff: true }, ['owner']]) {
    know({ groups })
    answers.push((await sso.visitor().logIn(provider)).body)
  }

  expect(answers).toEqual(answers.map(() => NO_ROLE))
  expect((await visitor.get('/api/auth/me')).status).toBe(401)
  know({ groups: 'staff' })
  expect((await sso.visitor().logIn(provider)).status).toBe(200)
})

test('without a mapping, or without a value of it, nobody gets an account', async () => {
  await using plain = await startSso(provider)
  await using mapped = await startSso(provider, MAPPED)
  know({ groups: ['other'] })

  expect((await plain.visitor().logIn(provider)).body).toEqual(NO_ACCOUNT)
  expect((await mapped.visitor().logIn(provider)).body).toEqual(NO_ROLE)
  expect((await mapped.call('GET', '/api/people')).body.people).toHaveLength(1)
})

test('no claim makes an owner', async () => {
  await using sso = await startSso(provider)
  const roles = [{ value: 'staff', role: 'owner' }]

  const refused = await sso.call('PATCH', '/api/identity-providers/main', {
    claim: 'groups',
    roles,
  })

  expect([refused.status, refused.body.fields]).toEqual([
    422,
    { roles: ['Entry 1, role: Must be one of viewer, operator, admin'] },
  ])
})

test.each([
  ['that is not verified', { email_verified: false }],
  ['of which nothing is said', { email_verified: undefined }],
  ['that is verified as a text', { email_verified: 'true' }],
  ['that is none', { email: 'ben' }],
])('nobody gets an account with an e-mail address %s', async (_, more) => {
  await using sso = await startSso(provider, MAPPED)
  know(more)

  expect((await sso.visitor().logIn(provider)).body).toEqual(
    message(
      'The provider does not confirm your e-mail address: verify it there, or ask an owner of this dashboard for an invitation',
    ),
  )
})

test('the verification of another address does not count, nor the claims of another subject', async () => {
  const claims = { email: EMAIL.replace('ann', 'bob'), groups: 'staff' }
  const userinfo = { sub: 'anna', email: 'anna@example.com', email_verified: true }
  await using forger = await startForger({ claims, userinfo })
  await using sso = await startSso(forger, MAPPED)

  forger.forgery = { claims, userinfo: { ...userinfo, sub: 'ben' } }
  const other = await sso.visitor().logIn(forger)
  forger.forgery = { claims, userinfo }
  const own = await sso.visitor().logIn(forger)

  expect([other.status, other.body]).toEqual([401, AGAIN])
  expect([own.status, own.body.user.email]).toEqual([200, 'anna@example.com'])
})

test('an account with the same e-mail address is not taken over', async () => {
  await using sso = await startSso(provider, MAPPED)
  know({ email: EMAIL })

  const { status, body } = await sso.visitor().logIn(provider)

  expect([status, body.message]).toEqual([
    401,
    'An account with your e-mail address exists: log in to it, and link this login on the page Account',
  ])
  expect((await sso.owner().get('/api/auth/identities')).body.identities).toEqual([])
})

test('an account whose role follows a claim has no other way to log in', async () => {
  const sent: Message[] = []
  const mailer = {
    server: { host: 'smtp.example.com', port: 587, tls: 'starttls' as const },
    from: 'control@example.com',
    send: async (mail: Message) => {
      sent.push(mail)
      return { accepted: true, answer: '250', refused: [] }
    },
  }
  await using sso = await startSso(provider, MAPPED, { mailer, clock: new HeldClock() })
  const visitor = sso.visitor()
  await visitor.logIn(provider)
  const linked = await visitor.post('/api/auth/identities', { provider: 'main' })

  for (const email of ['ben@example.com', EMAIL])
    await sso.call('POST', '/api/auth/reset', { email }, { cookie: '' })
  await until(() => sent.length > 0)

  expect([linked.status, linked.body.message]).toEqual([
    409,
    'This account belongs to its login at a provider, whose claim decides its role: no other one can be linked',
  ])
  expect(sent.map(({ to }) => to)).toEqual([[EMAIL]])
})

test('other people of the claim, and a provider that is switched off, end the sessions', async () => {
  await using sso = await startSso(provider, MAPPED)
  const isIn = async () => {
    const visitor = sso.visitor()
    const { status } = await visitor.logIn(provider)
    return { status, after: async () => (await visitor.get('/api/auth/me')).status }
  }
  const change = (body: object) => sso.call('PATCH', '/api/identity-providers/main', body)

  const first = await isIn()
  await change({ name: 'Staff' })
  const renamed = await first.after()
  await change({ roles: [{ value: 'staff', role: 'admin' }] })
  const remapped = await first.after()
  const second = await isIn()
  await change({ is_enabled: false })
  const off = await second.after()

  expect([first.status, renamed, remapped, second.status, off]).toEqual([200, 200, 401, 200, 401])
  expect((await sso.owner().get('/api/auth/me')).status).toBe(200)
  const begun = await sso.visitor().post('/api/auth/sso', { provider: 'main' })
  expect(begun.status).toBe(404)
})

test('a removed account of a claim is made again at the next login, a deactivated one is not', async () => {
  await using sso = await startSso(provider, MAPPED)
  await sso.visitor().logIn(provider)
  const [, ben] = (await sso.call('GET', '/api/people')).body.people
  const end = (method: string, what: string) =>
    sso.call(method, `/api/people/${ben.id}/account${what}`)
  await end('POST', '/deactivate')
  const deactivated = await sso.visitor().logIn(provider)
  await end('DELETE', '')

  const again = await sso.visitor().logIn(provider)

  expect([deactivated.body, again.status, again.body.user.id]).toEqual([NO_ACCOUNT, 200, 3])
})

test('two logins at the same time make one account', async () => {
  await using sso = await startSso(provider, MAPPED)

  const both = await Promise.all([sso.visitor().logIn(provider), sso.visitor().logIn(provider)])

  expect(both.map(({ status }) => status)).toContain(200)
  expect((await sso.call('GET', '/api/people')).body.people).toHaveLength(2)
  await addProvider(sso, { key: 'other', name: 'Other', issuer: provider.issuer }).catch(
    ({ message }: Error) => expect(message).toContain('Another provider has this issuer'),
  )
})
