import { afterAll, beforeAll, expect, test } from 'bun:test'
import { EMAIL, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { movable } from '#tests/support/dashboard/trash.ts'
import { type RealProvider, startProvider } from '#tests/support/oidc/provider.ts'
import { activityOf, NO_ACCOUNT, redirectOf, startSso } from '#tests/support/oidc/sso.ts'

let provider: RealProvider
beforeAll(async () => {
  provider = await startProvider({ redirect_uris: [redirectOf('main')] })
  provider.people.set('anna', { preferred_username: 'anna\nw' })
})
afterAll(() => provider[Symbol.asyncDispose]())

const DELETE = ['DELETE', '/api/auth/identities/1'] as const

test('an unlinked identity logs nobody in, and the other sessions end', async () => {
  await using sso = await startSso(provider)
  const owner = sso.owner()
  await owner.link(provider)
  const visitor = sso.visitor()
  await visitor.logIn(provider)
  const linked = (await owner.get('/api/auth/identities')).body

  const unlinked = await sso.call(...DELETE)

  expect(linked).toEqual({
    identities: [{ id: 1, provider: 'Main', label: 'anna?w', linked_at: expect.any(String) }],
    has_password: true,
  })
  expect(unlinked.status).toBe(204)
  expect((await visitor.get('/api/auth/me')).status).toBe(401)
  expect((await sso.visitor().logIn(provider)).body).toEqual(NO_ACCOUNT)
  expect((await activityOf(sso, 2))[1]).toEqual([
    ...['auth.identity_unlink', 'success', EMAIL],
    `${provider.issuer}, anna?w`,
  ])
})

test('the last way to log in is not unlinked, nor an identity of somebody else', async () => {
  await using sso = await startSso(provider)
  const visitor = sso.visitor()
  await visitor.logIn(provider, { invitation: await sso.token(await sso.addPerson('Ben')) })
  const foreign = await sso.call(...DELETE)
  const headers = { cookie: `__Host-session=${visitor.cookies['__Host-session']}` }

  const last = await sso.call(...DELETE, undefined, headers)

  expect(foreign.status).toBe(404)
  expect([last.status, last.body.message]).toEqual([
    409,
    'This is the only way to log in to your account: set a password with a link to your e-mail address first',
  ])
  expect((await sso.visitor().logIn(provider)).status).toBe(200)
})

test('a link needs a recent confirmation, which a login with a password is', async () => {
  const { clock, forward } = movable()
  await using sso = await startSso(provider, {}, { clock })
  forward(10 * 60_000)
  const owner = sso.owner()
  const begin = () => owner.post('/api/auth/identities', { provider: 'main' })

  const old = await begin()
  await owner.post('/api/auth/confirm', { password: PASSWORD })

  expect([old.status, old.body.code]).toEqual([409, 'confirmation_needed'])
  expect((await begin()).status).toBe(200)
})

test('the last owner with a password stays one, and a password always logs in', async () => {
  await using sso = await startSso(provider)
  const person = await sso.addPerson('Ben')
  const token = await sso.token(person, { role: 'owner' })
  await sso.visitor().logIn(provider, { invitation: token })
  const me = (await sso.call('GET', '/api/people')).body.people.find(
    ({ account }: { account: { user_id: number } | null }) => account?.user_id === 1,
  )
  const account = `/api/people/${me.id}/account`

  const refused = [
    await sso.call('PATCH', account, { role: 'admin' }),
    await sso.call('POST', `${account}/deactivate`),
    await sso.call('DELETE', account),
  ]

  const message = `${EMAIL} is the only owner with a password: make somebody else with a password an owner first`
  expect(refused.map(({ status, body }) => [status, body.message])).toEqual(
    refused.map(() => [409, message]),
  )
  const login = { email: EMAIL, password: PASSWORD }
  expect((await sso.visitor().post('/api/auth/login', login)).status).toBe(200)
  expect((await sso.call('POST', `/api/people/${person}/account/deactivate`)).status).toBe(200)
})
