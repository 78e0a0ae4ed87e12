// tier: gate
import { expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { makePeopleOfAccounts } from '#dashboard/features/access/accounts/people.queries.ts'
import { listAddresses } from '#dashboard/features/alerts/queries.ts'
import { findAddress, findUser, findUserByEmail } from '#dashboard/kernel/auth/queries.ts'
import { openSession } from '#dashboard/kernel/auth/sessions.ts'
import { people } from '#dashboard/kernel/db/access-schema.ts'
import { password_resets, sessions } from '#dashboard/kernel/db/auth-schema.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { PING } from '#shared/kernel/sse.ts'
import { startAccounts } from '#tests/support/dashboard/accounts.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const AT = '2026-01-01T00:00:00.000Z'
const as = (plaintext: string) => ({ cookie: '', authorization: `Bearer ${plaintext}` })

/** A dashboard with a service account, and a token of it. */
async function start(account: object = {}, token: object = {}) {
  const dashboard = await makeDashboard({ clock: new HeldClock() })
  const { call } = dashboard
  const made = await dashboard.call('POST', '/api/service-accounts', {
    name: 'deploy robot',
    role: 'operator',
    ...account,
  })
  const { id } = made.body.service_account
  const path = `/api/service-accounts/${id}`
  const created = await dashboard.call('POST', `${path}/tokens`, { name: 'CI', ...token })
  return { dashboard, call, made, id, path, created, headers: as(created.body.plaintext) }
}

test('an owner makes, lists, changes and removes a service account', async () => {
  const { dashboard, made, id, path, created, headers } = await start()
  await using _ = dashboard
  const account = {
    id: 2,
    name: 'deploy robot',
    role: 'operator',
    secrets: false,
    parts: [],
    groups: [],
    state: 'active',
    created_at: AT,
    tokens: [],
  }
  const token = {
    id: 1,
    name: 'CI',
    scope: 'operate',
    addresses: null,
    only_for: null,
    created_at: AT,
    expires_at: '2026-04-01T00:00:00.000Z',
    last_used_at: null,
    last_address: null,
    refused: 0,
  }
  const status = async (path: string) =>
    (await dashboard.call('GET', path, undefined, headers)).status

  expect([made.status, made.body.service_account, created.body.token]).toEqual([
    201,
    account,
    token,
  ])
  expect((await dashboard.call('GET', '/api/service-accounts')).body).toEqual({
    service_accounts: [{ ...account, tokens: [token] }],
  })
  expect([await status('/api/servers'), await status('/api/service-accounts')]).toEqual([200, 403])
  const shown = await dashboard.call('GET', '/api/token', undefined, headers)
  expect([shown.body.role, shown.body.rights]).toEqual([
    'operator',
    ['own.read', 'client', 'read', 'restore', 'operate'],
  ])

  const change = { name: 'robot', role: null, parts: [] }
  const changed = await dashboard.call('PATCH', path, change)
  expect([
    changed.status,
    changed.body.service_account.name,
    changed.body.service_account.role,
  ]).toEqual([200, 'robot', null])
  expect(await status('/api/servers')).toBe(403)

  expect((await dashboard.call('DELETE', path)).status).toBe(204)
  expect(await status('/api/auth/me')).toBe(401)
  expect((await dashboard.call('GET', '/api/service-accounts')).body).toEqual({
    service_accounts: [],
  })
  expect((await dashboard.call('PATCH', path, { role: 'admin' })).status).toBe(404)
  const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
  expect(
    activities
      .slice(0, 4)
      .map(({ type, detail }: { type: string; detail: string }) => [type, detail]),
  ).toEqual([
    ['service_account.remove', 'robot'],
    ['service_account.change', 'deploy robot, now robot: operator → no role'],
    ['auth.token_create', 'CI of deploy robot, operate'],
    ['service_account.create', 'deploy robot: operator'],
  ])
  expect(id).toBe(2)
})

test('its tokens are refused while it is deactivated, and keep their rights', async () => {
  const { dashboard, path, headers } = await start()
  await using _ = dashboard
  const asked = async () => (await dashboard.call('GET', '/api/servers', undefined, headers)).status
  const change = async (what: string) => {
    const { status, body } = await dashboard.call('POST', `${path}/${what}`)
    return [status, body.service_account?.state ?? body.message, await asked()]
  }
  const stream = await dashboard.send('GET', '/api/fleet/events', undefined, headers)
  const over = stream.text()

  expect(await change('activate')).toEqual([409, 'deploy robot is active already', 200])
  expect(await change('deactivate')).toEqual([200, 'deactivated', 401])
  expect(await over).toStartWith(PING)
  expect(await change('deactivate')).toEqual([409, 'deploy robot is deactivated already', 401])
  expect(
    (await dashboard.call('PATCH', path, { name: 'robot' })).body.service_account,
  ).toMatchObject({ name: 'robot', state: 'deactivated', tokens: [{ name: 'CI' }] })
  expect(await change('activate')).toEqual([200, 'active', 200])
  await change('deactivate')
  expect((await dashboard.call('DELETE', path)).status).toBe(204)
  expect((await dashboard.call('POST', `${path}/activate`)).status).toBe(404)
  const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
  expect(
    activities
      .slice(0, 5)
      .map(({ type, detail }: { type: string; detail: string }) => [type, detail]),
  ).toEqual([
    ['service_account.remove', 'robot'],
    ['service_account.deactivate', 'robot'],
    ['service_account.activate', 'robot'],
    ['service_account.change', 'deploy robot, now robot: operator → operator'],
    ['service_account.deactivate', 'deploy robot'],
  ])
})

test('what a token of it does has the names of both in the activity, also after its removal', async () => {
  const { dashboard, path, headers } = await start({ role: 'admin' }, { scope: 'admin' })
  await using _ = dashboard
  const made = await dashboard.call('POST', '/api/servers', { hostname: 'web.example' }, headers)
  const entry = async () => {
    const { activities } = (await dashboard.call('GET', '/api/fleet/activity?via=token')).body
    const { actor, token, via } = activities.find(
      ({ type }: { type: string }) => type === 'server.create',
    )
    return { actor, token, via }
  }

  expect(made.status).toBe(201)
  expect(await entry()).toEqual({ actor: 'deploy robot', token: 'CI', via: 'token' })
  await dashboard.call('DELETE', path)
  expect((await entry()).actor).toBe('deploy robot (removed account 2)')
})

test('its tokens go on when the owner who made it is gone', async () => {
  await using accounts = await startAccounts()
  const other = await accounts.colleague('Anna', { role: 'owner' })
  const made = await accounts.call(
    'POST',
    '/api/service-accounts',
    { name: 'robot', role: 'viewer' },
    other.headers,
  )
  const path = `/api/service-accounts/${made.body.service_account.id}/tokens`
  const { body } = await accounts.call('POST', path, { name: 'CI' }, other.headers)

  await accounts.call('DELETE', `/api/people/${other.person_id}/account`)

  const used = await accounts.call('GET', '/api/servers', undefined, as(body.plaintext))
  expect(used.status).toBe(200)
})

test('nobody logs in with it, in no way', async () => {
  const { dashboard, id } = await start()
  await using _ = dashboard
  const { deps, db } = dashboard
  const user = { id, email: 'deploy robot', name: 'deploy robot' }
  const login = { email: 'deploy robot', password: '' }
  const outside = { cookie: '' }

  expect(await openSession(deps, user).catch((error) => error.code)).toBe('unauthorized')
  expect(await db.read.select().from(sessions).where(eq(sessions.user_id, id))).toEqual([])
  for (const password of ['x', 'a long password'])
    expect(
      (await dashboard.call('POST', '/api/auth/login', { ...login, password }, outside)).status,
    ).toBe(401)
  await dashboard.call('POST', '/api/auth/reset', { email: 'deploy robot' }, outside)
  expect(await db.read.select().from(password_resets)).toEqual([])
  expect([
    await findUser(deps, id),
    await findUserByEmail(deps, 'deploy robot'),
    await findAddress(db, id),
    await listAddresses(db, deps.marks),
  ]).toEqual([undefined, undefined, undefined, [EMAIL]])
  await makePeopleOfAccounts(deps, AT)
  expect((await db.read.select().from(people)).map(({ user_id }) => user_id)).toEqual([1])
})

test('a session of it does not count, and its row cannot become that of a person', async () => {
  const { dashboard, id, headers } = await start()
  await using _ = dashboard
  const { deps, db } = dashboard
  const other = await dashboard.signInWith(['viewer'])
  const jti = sql`(select jti from sessions where user_id = 3)`
  const [theirs] = await db.read.select().from(sessions).where(sql`jti = ${jti}`)
  if (!theirs) throw new Error('There is no session')
  const session = { ...theirs, user_id: id }
  await db.write((queries) =>
    queries
      .update(sessions)
      .set({ user_id: id, mark: deps.marks.of('sessions', session) })
      .where(eq(sessions.jti, theirs.jti)),
  )
  const cookie = `${other.cookie.split('=')[0]}=${await deps.tokens.sign({ user_id: id, jti: theirs.jti })}`
  const me = async (given: Record<string, string>) =>
    (await dashboard.call('GET', '/api/auth/me', undefined, given)).status

  expect([await me({ cookie }), await me(headers)]).toEqual([401, 200])
  await db.write((queries) => queries.update(users).set({ kind: 'person' }).where(eq(users.id, id)))
  expect([await me({ cookie }), await me(headers)]).toEqual([401, 401])
})

test('it never decides what others may do', async () => {
  const { dashboard, id, path } = await start({ role: 'admin' }, { scope: 'admin' })
  await using _ = dashboard
  const owner = (method: string, at: string) =>
    dashboard.call(method, at, { name: 'more', role: 'owner' })
  const refused = [await owner('POST', '/api/service-accounts'), await owner('PATCH', path)]

  expect(refused.map(({ status, body }) => [status, body.fields])).toEqual(
    Array(2).fill([422, { role: ['Must be one of viewer, operator, admin'] }]),
  )
  // Somebody with the database makes it the account of a person, whom an owner then promotes.
  await makePeopleOfAccounts(dashboard.deps, AT)
  await dashboard.call('POST', '/api/people', { name: 'Anna' })
  await dashboard.db.write((queries) =>
    queries.update(people).set({ user_id: id }).where(eq(people.name, 'Anna')),
  )
  expect((await dashboard.call('PATCH', '/api/people/2/account', { role: 'owner' })).status).toBe(
    404,
  )
})

test.each([
  ['POST', '/api/service-accounts', { name: 'more', role: 'viewer' }],
  ['PATCH', '/api/service-accounts/2', { role: 'viewer' }],
  ['DELETE', '/api/service-accounts/2', undefined],
  ['POST', '/api/service-accounts/2/tokens', { name: 'more' }],
  ['DELETE', '/api/service-accounts/2/tokens/1', undefined],
])('only an owner with a recent password calls %s %s', async (method, path, body) => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  await dashboard.call('POST', '/api/service-accounts', { name: 'robot', role: 'viewer' })
  await dashboard.call('POST', '/api/service-accounts/2/tokens', { name: 'CI' })
  const token = await dashboard.tokenWith({ grants: ['owner'], parts: [] })
  const admin = await dashboard.signInWith(['admin'])
  const before = (await dashboard.call('GET', '/api/service-accounts')).body

  expect((await dashboard.call('GET', '/api/service-accounts', undefined, admin)).body).toEqual(
    before,
  )
  expect((await dashboard.call(method, path, body, admin)).status).toBe(403)
  expect((await dashboard.call(method, path, body, token)).status).toBe(403)
  clock.move(11 * 60_000)
  const late = await dashboard.call(method, path, body)
  expect([late.status, late.body.reason ?? late.body.message]).toEqual([409, expect.any(String)])
  expect((await dashboard.call('GET', '/api/service-accounts')).body).toEqual(before)
})

test.each([
  [{ name: 'ann@control.example' }, 'name'],
  [{ name: 'robot (removed account 9)' }, 'name'],
  [{ name: ' ' }, 'name'],
  [{ name: 'deploy robot' }, 'name'],
  [{ role: null, secrets: true }, 'secrets'],
  [{ parts: [{ gives: 'admin', site_id: 9 }] }, 'parts'],
])('a service account is not made with %j', async (body, field) => {
  const { dashboard } = await start()
  await using _ = dashboard
  const call = { name: 'other', role: 'viewer', ...body }
  const answer = await dashboard.call('POST', '/api/service-accounts', call)

  expect([answer.status, Object.keys(answer.body.fields)]).toEqual([422, [field]])
})

test('a token is deleted only as one of its account', async () => {
  const { dashboard, path, headers } = await start()
  await using _ = dashboard
  await dashboard.call('POST', '/api/service-accounts', { name: 'other', role: 'viewer' })
  const status = async (method: string, at: string, given?: Record<string, string>) =>
    (await dashboard.call(method, at, undefined, given)).status

  expect(await status('DELETE', '/api/service-accounts/3/tokens/1')).toBe(404)
  expect(await status('DELETE', '/api/service-accounts/1/tokens/1')).toBe(404)
  expect(await status('GET', '/api/auth/me', headers)).toBe(200)
  expect(await status('DELETE', `${path}/tokens/1`)).toBe(204)
  expect(await status('GET', '/api/auth/me', headers)).toBe(401)
})
