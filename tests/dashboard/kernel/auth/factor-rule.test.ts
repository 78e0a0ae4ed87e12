import { expect, test } from 'bun:test'
import { SETUP_CALLS } from '#dashboard/kernel/auth/factor-rule.ts'
import { grantStatements } from '#dashboard/kernel/auth/grants.queries.ts'
import { writeAll } from '#dashboard/kernel/db/client.ts'
import type { AnyRoute } from '#dashboard/kernel/http/route.ts'
import { ROUTES } from '#dashboard/routes.ts'
import type { FactorRule } from '#shared/kernel/api/passkeys.ts'
import type { Grant, PartGrant } from '#shared/kernel/rights.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'
import { addGroup } from '#tests/support/dashboard/groups.ts'
import { Authenticator, addPasskey, ORIGIN } from '#tests/support/dashboard/passkeys.ts'
import { turnOn } from '#tests/support/dashboard/totp.ts'

const RULE = '/api/auth/second-factor'
const MISSING = {
  status: 403,
  body: {
    error: 'Forbidden',
    message:
      'This account needs a second factor: sign in, and set up an authenticator app or a passkey',
    code: 'second_factor_missing',
  },
}
const KEPT = {
  status: 409,
  body: {
    error: 'Conflict',
    message: 'Your account needs a second factor: add another one before you remove this one',
    code: 'second_factor_required',
  },
}

const setRule = (dashboard: Dashboard, required_for: FactorRule, headers?: { cookie: string }) =>
  dashboard.call('PUT', RULE, { required_for }, headers)

/** A dashboard whose owner has an authenticator app and has set the rule. */
async function withRule(required_for: FactorRule, clock = new HeldClock()) {
  const dashboard = await makeDashboard({ clock, public_url: ORIGIN })
  const app = await turnOn(dashboard)
  const { status } = await setRule(dashboard, required_for)
  if (status !== 200) throw new Error(`It answered ${status}`)
  return {
    app,
    clock,
    dashboard,
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]()
    },
  }
}

test('no account needs a second factor by default, and the change is recorded', async () => {
  await using dashboard = await makeDashboard({ public_url: ORIGIN })
  const shown = { required_for: 'nobody', required: false, present: false }
  expect((await dashboard.call('GET', RULE)).body).toEqual({ second_factor: shown })
  await addPasskey(dashboard, new Authenticator())

  const changed = await setRule(dashboard, 'admins')

  const second_factor = { required_for: 'admins', required: true, present: true }
  expect(changed).toEqual({ status: 200, body: { second_factor } })
  const [entry] = (await dashboard.call('GET', '/api/fleet/activity?limit=1')).body.activities
  expect(entry).toMatchObject({
    type: 'auth.factor_rule',
    actor: EMAIL,
    detail: 'needed by admins',
  })
})

test('only an owner with a second factor turns it on, in a session', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock, public_url: ORIGIN })
  const admin = await dashboard.signInWith(['admin'])
  await addPasskey(dashboard, new Authenticator(), { headers: admin })

  expect((await setRule(dashboard, 'admins', admin)).status).toBe(403)
  expect(await setRule(dashboard, 'everybody')).toMatchObject({
    status: 409,
    body: { code: 'second_factor_missing' },
  })
  expect((await setRule(dashboard, 'nobody')).status).toBe(200)
  clock.move(11 * 60_000)
  expect((await setRule(dashboard, 'nobody')).body.code).toBe('confirmation_needed')
})

const walked = ROUTES.filter(
  ({ at, right }: AnyRoute) => right !== 'open' && !at.endsWith('/events'),
)

test('an account without one can only set one up, and its API token can do nothing', async () => {
  await using world = await withRule('nobody')
  const { dashboard } = world
  const session = await dashboard.signInWith(['owner'])
  const token = { name: 'script', scope: 'admin', password: PASSWORD }
  const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', token, session)).body
  const script = { cookie: '', authorization: `Bearer ${plaintext}` }
  await setRule(dashboard, 'everybody')

  const passed: Record<string, string[]> = { session: [], script: [] }
  for (const { at } of walked) {
    const [method = '', path = ''] = at.split(' ')
    for (const [name, headers] of Object.entries({ session, script })) {
      // The session ends with it.
      if (at === 'POST /api/auth/logout' && name === 'session') continue
      const answer = await dashboard.call(method, path.replace(/:\w+/g, '999'), undefined, headers)
      if (answer.body.code !== 'second_factor_missing') passed[name]?.push(at)
    }
  }

  const setup = [...SETUP_CALLS].filter((at) => at !== 'POST /api/auth/logout')
  expect({ session: passed.session?.toSorted(), script: passed.script }).toEqual({
    session: setup.toSorted(),
    script: [],
  })
  expect(ROUTES.map(({ at }) => String(at))).toEqual(expect.arrayContaining([...SETUP_CALLS]))
  expect(await dashboard.call('HEAD', '/api/servers', undefined, session)).toMatchObject({
    status: 403,
  })
})

test('a limited token of an account that needs one can do nothing, and a service account needs none', async () => {
  await using world = await withRule('nobody')
  const { dashboard } = world
  const part = { tag: 'shop', server_id: null, site_id: null }
  const hostname = 'web.example'
  await dashboard.call('POST', '/api/servers', { hostname, tags: ['shop'] })
  const held = { ...part, gives: 'admin' as const, tag: 'blog' }
  const limited = await dashboard.tokenWith(
    { grants: ['viewer'], parts: [held] },
    { only_for: [part] },
  )
  const account = { name: 'robot', role: 'admin' }
  const made = await dashboard.call('POST', '/api/service-accounts', account)
  const path = `/api/service-accounts/${made.body.service_account.id}/tokens`
  const { plaintext } = (await dashboard.call('POST', path, { name: 'CI' })).body
  await setRule(dashboard, 'admins')

  const status = async (headers: Record<string, string>) =>
    (await dashboard.call('GET', '/api/servers', undefined, headers)).status

  expect(await status(limited)).toBe(403)
  expect(await status({ cookie: '', authorization: `Bearer ${plaintext}` })).toBe(200)
})

test('an admin by a group needs one like any other admin', async () => {
  await using world = await withRule('admins')
  const { dashboard } = world
  const headers = await dashboard.signInWith(['viewer'])
  const servers = () => dashboard.call('GET', '/api/servers', undefined, headers)
  expect((await servers()).status).toBe(200)

  const path = await addGroup(dashboard, { name: 'Admins', role: 'admin', members: [2] })

  expect(await servers()).toEqual(MISSING)
  await dashboard.call('PATCH', path, { role: 'operator' })
  expect((await servers()).status).toBe(200)
})

test('the account goes on at once after it has set one up', async () => {
  await using world = await withRule('everybody')
  const { dashboard } = world
  const headers = await dashboard.signInWith(['viewer'])
  const servers = () => dashboard.call('GET', '/api/servers', undefined, headers)
  expect(await servers()).toEqual(MISSING)

  await addPasskey(dashboard, new Authenticator(), { headers })

  expect((await servers()).status).toBe(200)
})

const ON_TAG = { tag: 'shop', server_id: null, site_id: null }

test.each<[FactorRule, readonly Grant[], boolean, (readonly PartGrant[])?]>([
  ['nobody', ['owner'], false],
  ['admins', ['owner'], true],
  ['admins', ['admin'], true],
  ['admins', ['operator', 'secrets'], false],
  ['admins', [], false],
  ['admins', [], true, [{ ...ON_TAG, gives: 'admin' }]],
  ['admins', [], false, [{ ...ON_TAG, gives: 'secrets' }]],
  ['everybody', ['viewer'], true],
  ['everybody', [], true],
])(
  'the rule %s for an account with the grants %j is %p',
  async (rule, gives, needed, parts = []) => {
    await using world = await withRule(rule)
    const headers = await world.dashboard.signInWith(gives, parts)

    const { body } = await world.dashboard.call('GET', RULE, undefined, headers)
    const { status } = await world.dashboard.call('GET', '/api/auth/rights', undefined, headers)

    const second_factor = { required_for: rule, required: needed, present: false }
    expect([body, status]).toEqual([{ second_factor }, needed ? 403 : 200])
  },
)

test('a stream ends when its account needs one, also by another role', async () => {
  await using world = await withRule('nobody')
  const { dashboard } = world
  const viewer = await dashboard.signInWith(['viewer'])
  const open = () => dashboard.send('GET', '/api/fleet/events', undefined, viewer)
  const ended = (await open()).text()

  await setRule(dashboard, 'everybody')
  await ended
  expect((await open()).status).toBe(403)

  await setRule(dashboard, 'admins')
  expect((await dashboard.call('GET', '/api/servers', undefined, viewer)).status).toBe(200)
  const given_at = '2026-01-01T00:00:00.000Z'
  await writeAll(dashboard.db, (queries) =>
    grantStatements(queries, dashboard.deps.marks, { user_id: 2, gives: ['admin'], given_at }),
  )
  expect(await dashboard.call('GET', '/api/servers', undefined, viewer)).toEqual(MISSING)
})

test('the last factor of an account that needs one stays', async () => {
  await using world = await withRule('admins')
  const { dashboard, app, clock } = world
  const disable = () =>
    dashboard.call('POST', '/api/auth/totp/disable', {
      password: PASSWORD,
      code: app.code(clock.now()),
    })
  clock.move(30_000)
  expect(await disable()).toEqual(KEPT)
  const id = await addPasskey(dashboard, new Authenticator())

  expect((await disable()).status).toBe(204)
  expect(await dashboard.call('DELETE', `/api/auth/passkeys/${id}`)).toEqual(KEPT)
  const spare = await addPasskey(dashboard, new Authenticator(), { name: 'Spare' })
  expect((await dashboard.call('DELETE', `/api/auth/passkeys/${id}`)).status).toBe(204)
  expect(await dashboard.call('DELETE', `/api/auth/passkeys/${spare}`)).toEqual(KEPT)

  await setRule(dashboard, 'nobody')
  expect((await dashboard.call('DELETE', `/api/auth/passkeys/${spare}`)).status).toBe(204)
})

test('of two passkeys that are removed at the same time, one stays', async () => {
  await using world = await withRule('nobody')
  const { dashboard } = world
  const headers = await dashboard.signInWith(['viewer'])
  const one = await addPasskey(dashboard, new Authenticator(), { headers })
  const other = await addPasskey(dashboard, new Authenticator(), { headers })
  await setRule(dashboard, 'everybody')

  const removals = [one, other].map((id) =>
    dashboard.call('DELETE', `/api/auth/passkeys/${id}`, undefined, headers),
  )

  const statuses = (await Promise.all(removals)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([204, 409])
  const { body } = await dashboard.call('GET', '/api/auth/passkeys', undefined, headers)
  expect(body.passkeys).toHaveLength(1)
})
