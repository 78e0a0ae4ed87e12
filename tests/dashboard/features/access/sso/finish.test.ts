// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { users } from '#dashboard/kernel/db/schema.ts'
import { Accounts } from '#tests/support/dashboard/accounts.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { tamper } from '#tests/support/dashboard/record.ts'
import { turnOn } from '#tests/support/dashboard/totp.ts'
import { type RealProvider, startProvider } from '#tests/support/oidc/provider.ts'
import {
  activityOf,
  NO_ACCOUNT,
  NOT_BEGUN,
  redirectOf,
  startSso,
  Visitor,
  WEB,
} from '#tests/support/oidc/sso.ts'

let provider: RealProvider
beforeAll(async () => {
  provider = await startProvider({ redirect_uris: [redirectOf('main')] })
  provider.people.set('anna', { email: 'anna@provider.example' })
})
afterAll(() => provider[Symbol.asyncDispose]())

const OWNER = { id: 1, email: EMAIL, name: 'Administrator' }
const MINUTES = 60_000

test('an identity that is linked on the account page logs in like a password', async () => {
  await using sso = await startSso(provider)

  const linked = await sso.owner().link(provider)
  const visitor = sso.visitor()
  const { status, body, lines } = await visitor.logIn(provider, { to: '/sites?search=a' })

  expect([linked.status, linked.body]).toEqual([
    200,
    { user: OWNER, purpose: 'link', to: '/account' },
  ])
  expect([status, body]).toEqual([200, { user: OWNER, purpose: 'login', to: '/sites?search=a' }])
  expect(lines).toEqual([
    expect.stringMatching(
      /^__Host-session=[\w.-]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    ),
    expect.stringMatching(/^__Host-device=[\w.-]+; Max-Age=31536000; .*; SameSite=Strict$/),
  ])
  const { sessions } = (await visitor.get('/api/auth/sessions')).body
  expect(
    sessions.map(({ device, is_current }: Record<string, unknown>) => [device, is_current]),
  ).toEqual(expect.arrayContaining([['Firefox on Linux', true]]))
  expect(await activityOf(sso, 2)).toEqual([
    ['auth.login', 'success', EMAIL, 'with Main'],
    ['auth.identity_link', 'success', EMAIL, 'Main, anna@provider.example'],
  ])
})

test('the cookie of a login is for this host, for ten minutes, and no script reads it', async () => {
  await using sso = await startSso(provider)

  const { lines } = await sso.visitor().post('/api/auth/sso', { provider: 'main' })

  expect(lines).toEqual([
    expect.stringMatching(
      /^__Host-sso=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ])
})

test('a login that has begun at one dashboard ends at another one on the same records', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const { folder } = sso.dashboard
  await using other = new Accounts(await makeDashboard({ folder, public_url: WEB }))
  const visitor = sso.visitor()
  const query = await provider.authorize(await visitor.begin('main'))

  const { status } = await new Visitor(other, visitor.cookies).finish('main', query)

  expect(status).toBe(200)
  expect((await visitor.finish('main', query)).body).toEqual(NOT_BEGUN)
})

test('a login ends after ten minutes', async () => {
  const clock = new HeldClock()
  await using sso = await startSso(provider, {}, { clock })
  await sso.owner().link(provider)
  const visitor = sso.visitor()
  const early = await provider.authorize(await visitor.begin('main'))
  clock.move(10 * MINUTES - 1)
  expect((await visitor.finish('main', early)).status).toBe(200)
  const late = await provider.authorize(await visitor.begin('main'))

  clock.move(10 * MINUTES)

  expect((await visitor.finish('main', late)).body).toEqual(NOT_BEGUN)
})

test('an account whose only factor is a passkey is sent to that', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const { deps, db } = sso.dashboard
  const [user] = await db.read.select().from(users)
  if (!user) throw new Error('there is no user')
  const with_passkey = { ...user, passkeys: 1 }
  await db.write((queries) =>
    queries
      .update(users)
      .set({ ...with_passkey, mark: deps.marks.of('users', with_passkey) })
      .where(eq(users.id, user.id)),
  )
  const visitor = sso.visitor()

  const { status, body, lines } = await visitor.finish(
    'main',
    await provider.authorize(await visitor.begin('main')),
  )

  expect([status, body.message, lines]).toEqual([
    401,
    'This account needs its passkey: sign in with that, which is all that it takes',
    [],
  ])
})

test('an account with two-factor authentication also needs a code', async () => {
  const clock = new HeldClock()
  await using sso = await startSso(provider, {}, { clock })
  await sso.owner().link(provider)
  const app = await turnOn(sso.dashboard)
  const visitor = sso.visitor()
  const query = await provider.authorize(await visitor.begin('main', { to: '/sites' }))
  const asked = await visitor.finish('main', query)
  const state = new URLSearchParams(query).get('state')
  const send = (code: string, who = visitor) => who.post('/api/auth/sso/code', { state, code })
  clock.move(MINUTES)

  const wrong = await send('000000')
  const foreign = await send(app.code(clock.now()), sso.visitor())
  const right = await send(app.code(clock.now()))

  expect([asked.status, asked.body.code, asked.lines]).toEqual([401, 'second_factor_needed', []])
  expect([wrong.status, wrong.body.code]).toEqual([401, 'second_factor_wrong'])
  expect(foreign.body).toEqual(NOT_BEGUN)
  expect([right.status, right.body]).toEqual([200, { user: OWNER, purpose: 'login', to: '/sites' }])
  expect((await send(app.code(clock.now(), 1))).body).toEqual(NOT_BEGUN)
  expect(await activityOf(sso, 2)).toEqual([
    ['auth.login', 'success', EMAIL, 'with Main'],
    ['auth.login', 'failed', EMAIL, 'with Main: the code was wrong'],
  ])
})

test('codes are guessed five times, also with a new login each time', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  await turnOn(sso.dashboard)
  const statuses: number[] = []
  for (let turn = 0; turn < 6; turn++) {
    const visitor = sso.visitor()
    const query = await provider.authorize(await visitor.begin('main'))
    await visitor.finish('main', query)
    const state = new URLSearchParams(query).get('state')
    statuses.push((await visitor.post('/api/auth/sso/code', { state, code: '000000' })).status)
  }

  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
})

test('a provider that asks for a second factor itself is enough', async () => {
  await using sso = await startSso(provider, { own_factor: true })
  await sso.owner().link(provider)
  await turnOn(sso.dashboard)

  expect((await sso.visitor().logIn(provider)).status).toBe(200)
})

test('a deactivated account is refused, and so is an identity that others have changed', async () => {
  await using sso = await startSso(provider)
  const anna = await sso.colleague('Anna', { role: 'viewer' })
  const cookie = anna.headers.cookie.replace('__Host-session=', '')
  await sso.visitor({ '__Host-session': cookie }).link(provider)
  expect((await sso.visitor().logIn(provider)).status).toBe(200)

  await sso.call('POST', `/api/people/${anna.person_id}/account/deactivate`)
  const deactivated = await sso.visitor().logIn(provider)
  await sso.call('POST', `/api/people/${anna.person_id}/account/activate`)
  expect((await sso.visitor().logIn(provider)).status).toBe(200)
  await tamper(sso.dashboard, 'UPDATE identities SET user_id = 1')
  const changed = await sso.visitor().logIn(provider)

  expect([deactivated.body, changed.body]).toEqual([NO_ACCOUNT, NO_ACCOUNT])
})

test('an invitation is accepted by a login, with the address and the role of the invitation', async () => {
  await using sso = await startSso(provider)
  const person = await sso.addPerson('Ben')
  const token = await sso.token(person, { email: 'ben@example.com', role: 'admin' })

  const visitor = sso.visitor()
  const { status, body } = await visitor.logIn(provider, { invitation: token })

  const user = { id: 2, email: 'ben@example.com', name: 'Ben' }
  expect([status, body]).toEqual([200, { user, purpose: 'login', to: '/' }])
  expect((await visitor.get('/api/auth/rights')).body.role).toBe('admin')
  expect((await sso.show(token)).status).toBe(404)
  expect((await sso.visitor().logIn(provider)).body.user).toEqual(user)
  expect(await activityOf(sso, 3)).toEqual([
    ['auth.login', 'success', 'ben@example.com', 'with Main'],
    ['auth.login', 'success', 'ben@example.com', 'with Main'],
    ['account.accept', 'success', 'ben@example.com', 'Ben, ben@example.com: admin'],
  ])
  const empty = { email: 'ben@example.com', password: '' }
  expect((await sso.call('POST', '/api/auth/login', { ...empty, password: ' ' })).status).toBe(401)
  const confirmed = await visitor.post('/api/auth/confirm', { password: 'guess' })
  expect([confirmed.status, confirmed.body.message]).toEqual([
    409,
    'Your account has no password: log out and log in again, which counts as a confirmation for ten minutes',
  ])
})

test('an identity belongs to one account, and an invitation that has ended makes none', async () => {
  await using sso = await startSso(provider)
  await sso.owner().link(provider)
  const person = await sso.addPerson('Ben')
  const token = await sso.token(person)
  const again = await sso.owner().link(provider)
  const taken = await sso.visitor().logIn(provider, { invitation: token })
  const visitor = sso.visitor()
  provider.who = 'ben'
  const query = await provider.authorize(await visitor.begin('main', { invitation: token }))
  provider.who = 'anna'
  await sso.call('DELETE', `/api/people/${person}/invitation`)

  const ended = await visitor.finish('main', query)

  const LINKED = 'This login is linked with an account already'
  expect([again.body.message, taken.body.message]).toEqual([LINKED, LINKED])
  expect([ended.status, ended.body.message]).toEqual([
    401,
    'The invitation is not valid any more: ask whoever has invited you for a new one',
  ])
})

test('without PUBLIC_URL no login begins, and an owner sees why', async () => {
  await using sso = await startSso(provider)
  await using bare = await startSso(provider, {}, { has_url: false })

  const refused = await bare.visitor().post('/api/auth/sso', { provider: 'main' })

  const problem =
    'Single sign-on is off: the dashboard does not know its address, because PUBLIC_URL is not set in its environment'
  expect([refused.status, refused.body.message]).toEqual([409, problem])
  const providers = (await bare.call('GET', '/api/identity-providers')).body
  expect([providers.problem, providers.providers[0].redirect_uri]).toEqual([problem, null])
  expect((await bare.call('GET', '/api/auth/sso')).body).toEqual({ providers: [] })
  expect((await sso.call('GET', '/api/auth/sso')).body).toEqual({
    providers: [{ key: 'main', name: 'Main' }],
  })
})

test('a refusal of the provider is passed on and recorded', async () => {
  await using sso = await startSso(provider)
  const visitor = sso.visitor()
  const state = new URL(await visitor.begin('main')).searchParams.get('state')
  const iss = encodeURIComponent(provider.issuer)

  const { status, body } = await visitor.finish(
    'main',
    `?error=access_denied&error_description=No%0Away&state=${state}&iss=${iss}`,
  )

  expect([status, body.message]).toEqual([
    401,
    'The provider refused the login: access_denied: No way',
  ])
  expect(await activityOf(sso)).toEqual([
    ['auth.login', 'failed', null, 'with Main: the provider refused it: access_denied: No way'],
  ])
})
