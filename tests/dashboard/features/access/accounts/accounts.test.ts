// tier: gate
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { makePeopleOfAccounts } from '#dashboard/features/access/accounts/people.queries.ts'
import { findGrants } from '#dashboard/kernel/auth/grants.queries.ts'
import { people } from '#dashboard/kernel/db/access-schema.ts'
import { grants } from '#dashboard/kernel/db/auth-schema.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { PING } from '#shared/kernel/sse.ts'
import {
  type Accounts,
  Meeting,
  NEW_PASSWORD,
  startAccounts,
} from '#tests/support/dashboard/accounts.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const OUTSIDE = { cookie: '' }
const ONLY_OWNER = {
  status: 409,
  body: {
    error: 'Conflict',
    message: `${EMAIL} is the only owner of this dashboard: make somebody else an owner first`,
  },
}

type Change = [method: string, path: string, body: object | undefined]

/** The calls that decide what a person may do, each with the path of that person. */
const CALLS: readonly Change[] = [
  ['POST', '/invitation', { email: 'anna@example.com', role: 'viewer' }],
  ['DELETE', '/invitation', undefined],
  ['PATCH', '/account', { role: 'owner' }],
  ['POST', '/account/deactivate', undefined],
  ['POST', '/account/activate', undefined],
  ['DELETE', '/account', undefined],
]

const changeOf =
  ({ call }: Accounts, headers?: Record<string, string>) =>
  (person_id: number, [method, path, body]: Change) =>
    call(method, `/api/people/${person_id}${path}`, body, headers)

const loginOf = ({ call }: Accounts, email: string, password = NEW_PASSWORD) =>
  call('POST', '/api/auth/login', { email, password }, OUTSIDE)

/** The role of each account of the dashboard, by its address. */
async function rolesIn({ dashboard: { deps, db } }: Accounts): Promise<Record<string, string>> {
  const all = await db.read.select().from(users).orderBy(users.id)
  const roles: Record<string, string> = {}
  for (const { id, email } of all) roles[email] = (await findGrants(deps, id)).grants.join()
  return roles
}

test('each account of a dashboard has a person, and each other person stays', async () => {
  await using dashboard = await makeDashboard()
  const { db, deps } = dashboard
  await dashboard.call('POST', '/api/people', { name: 'Administrator' })
  await dashboard.call('POST', '/api/people', { name: 'Administrator (2)' })
  const before = await db.read.select().from(people)

  await makePeopleOfAccounts(deps, '2026-01-01T00:00:00.000Z')
  await makePeopleOfAccounts(deps, '2026-02-01T00:00:00.000Z')

  expect(await db.read.select().from(people)).toEqual([
    ...before,
    {
      id: 3,
      name: 'Administrator (3)',
      created_at: '2026-01-01T00:00:00.000Z',
      user_id: 1,
      access_ended_at: null,
    },
  ])
})

test.each(CALLS)(
  'only an owner with a recent password makes the call %s %s',
  async (method, path, body) => {
    const change: Change = [method, path, body]
    const clock = new HeldClock()
    await using accounts = await startAccounts({ clock })
    const admin = await accounts.colleague('Anna', { role: 'admin' })
    const target = await accounts.addPerson('Ben')
    await accounts.token(target)
    const token = { name: 'script', password: PASSWORD, scope: 'admin' }
    const { plaintext } = (await accounts.call('POST', '/api/auth/tokens', token)).body
    const script = { cookie: '', authorization: `Bearer ${plaintext}` }
    const before = await rolesIn(accounts)

    const asAdmin = await changeOf(accounts, admin.headers)(target, change)
    const asScript = await changeOf(accounts, script)(target, change)
    clock.move(31 * 60_000)
    const late = await changeOf(accounts)(target, change)

    expect([asAdmin.status, asAdmin.body.message]).toEqual([
      403,
      'This needs the role owner: ask an owner of this dashboard',
    ])
    expect([asScript.status, asScript.body.message]).toEqual([
      403,
      'API tokens cannot do this: log in with the password of the account',
    ])
    expect([late.status, late.body.code]).toEqual([409, 'confirmation_needed'])
    expect(await rolesIn(accounts)).toEqual(before)
    expect((await accounts.person(target)).account.state).toBe('invited')
  },
)

test('a role changes at once, for sessions and streams', async () => {
  await using accounts = await startAccounts()
  const { person_id, email, headers } = await accounts.colleague('Anna')
  const createPerson = () => accounts.call('POST', '/api/people', { name: 'Ben' }, headers)
  const path = `/api/people/${person_id}/account`
  const stream = await accounts.dashboard.send('GET', '/api/fleet/events', undefined, headers)
  const text = stream.text()
  expect((await createPerson()).status).toBe(403)

  const more = await accounts.call('PATCH', path, { role: 'admin' })

  expect(await text).toStartWith(PING)
  expect([more.status, more.body.person.account]).toMatchObject([
    200,
    { role: 'admin', secrets: true, state: 'active' },
  ])
  expect((await createPerson()).status).toBe(201)
  const less = await accounts.call('PATCH', path, { role: 'viewer', secrets: true })
  expect(less.body.person.account).toMatchObject({ role: 'viewer', secrets: true })
  expect((await createPerson()).status).toBe(403)
  const { activities } = (await accounts.call('GET', '/api/fleet/activity?type=account.role')).body
  const entries = activities.map(({ actor, detail }: Record<string, unknown>) => [actor, detail])
  expect(entries).toEqual([
    [EMAIL, `Anna, ${email}: admin → viewer with secrets`],
    [EMAIL, `Anna, ${email}: operator → admin`],
  ])
})

test('secrets are kept beside a role that does not include them, and never after one that does', async () => {
  await using accounts = await startAccounts()
  const { person_id, email } = await accounts.colleague('Anna', { secrets: true })
  const path = `/api/people/${person_id}/account`
  const change = async (body: object) => {
    const { status } = await accounts.call('PATCH', path, body)
    return [status, (await rolesIn(accounts))[email]]
  }

  expect(await change({ role: 'viewer' })).toEqual([200, 'viewer,secrets'])
  expect(await change({ secrets: false })).toEqual([200, 'viewer'])
  expect(await change({ secrets: true })).toEqual([200, 'viewer,secrets'])
  expect(await change({ role: 'admin' })).toEqual([200, 'admin'])
  expect(await change({ secrets: false })).toEqual([422, 'admin'])
  expect(await change({ role: 'operator' })).toEqual([200, 'operator'])
  expect(await change({})).toEqual([200, 'operator'])
  expect(await change({ role: 'root' })).toEqual([422, 'operator'])
  expect(await change({ email: 'a@example.com', user_id: 1 })).toEqual([422, 'operator'])
})

test.each<Change>([
  ['PATCH', '/account', { role: 'admin' }],
  ['POST', '/account/deactivate', undefined],
  ['DELETE', '/account', undefined],
])('the only owner stays: %s %s', async (method, path, body) => {
  const change: Change = [method, path, body]
  await using accounts = await startAccounts()
  const ben = await accounts.colleague('Ben', { role: 'owner' })
  await accounts.call('POST', `/api/people/${ben.person_id}/account/deactivate`)
  const forged = { user_id: 2, gives: 'owner' as const, given_at: '2026-01-01T00:00:00.000Z' }
  await accounts.colleague('Anna', { role: 'admin' })
  await accounts.dashboard.db.write((queries) =>
    queries.insert(grants).values({ ...forged, user_id: 3 }),
  )

  expect(await changeOf(accounts)(1, change)).toEqual(ONLY_OWNER)

  expect((await accounts.call('GET', '/api/auth/me')).status).toBe(200)
  expect((await rolesIn(accounts))[EMAIL]).toBe('owner')
})

test.each<Change>([
  ['PATCH', '/account', { role: 'viewer' }],
  ['POST', '/account/deactivate', undefined],
  ['DELETE', '/account', undefined],
])(
  'of two owners who end each other at the same time, one stays: %s %s',
  async (method, path, body) => {
    const change: Change = [method, path, body]
    const meeting = new Meeting()
    await using accounts = await startAccounts({ open: meeting.open })
    const ben = await accounts.colleague('Ben', { role: 'owner' })

    meeting.gather(2)
    const both = await Promise.all([
      changeOf(accounts)(ben.person_id, change),
      changeOf(accounts, ben.headers)(1, change),
    ])

    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    const left = (await accounts.dashboard.db.read.select().from(users)).filter(
      ({ deactivated_at }) => deactivated_at === null,
    )
    const owners: number[] = []
    for (const { id } of left)
      if ((await findGrants(accounts.dashboard.deps, id)).grants.includes('owner')) owners.push(id)
    expect(owners).toHaveLength(1)
  },
)

test('of two owners who leave at the same time, one stays', async () => {
  const meeting = new Meeting()
  await using accounts = await startAccounts({ open: meeting.open })
  const ben = await accounts.colleague('Ben', { role: 'owner' })
  const leave = { role: 'viewer' }

  meeting.gather(2)
  const both = await Promise.all([
    accounts.call('PATCH', '/api/people/1/account', leave),
    accounts.call('PATCH', `/api/people/${ben.person_id}/account`, leave, ben.headers),
  ])

  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(Object.values(await rolesIn(accounts)).sort()).toEqual(['owner', 'viewer'])
})

test('an owner can become an administrator while another one is left', async () => {
  await using accounts = await startAccounts()
  await accounts.colleague('Ben', { role: 'owner' })

  const { status } = await accounts.call('PATCH', '/api/people/1/account', { role: 'admin' })

  expect(status).toBe(200)
  expect((await rolesIn(accounts))[EMAIL]).toBe('admin')
})

test('a deactivated account admits nobody, and its login is refused like a wrong password', async () => {
  await using accounts = await startAccounts()
  const { person_id, email, headers } = await accounts.colleague('Anna')
  const token = { name: 'script', password: NEW_PASSWORD }
  const { plaintext } = (await accounts.call('POST', '/api/auth/tokens', token, headers)).body
  const script = { cookie: '', authorization: `Bearer ${plaintext}` }
  const me = async (of: Record<string, string>) =>
    (await accounts.call('GET', '/api/auth/me', undefined, of)).status
  const stream = await accounts.dashboard.send('GET', '/api/fleet/events', undefined, headers)
  const text = stream.text()
  expect([await me(headers), await me(script)]).toEqual([200, 200])
  const path = `/api/people/${person_id}/account`

  const { status, body } = await accounts.call('POST', `${path}/deactivate`)

  expect([status, body.person.account.state]).toEqual([200, 'deactivated'])
  expect(await text).toStartWith(PING)
  expect([await me(headers), await me(script)]).toEqual([401, 401])
  const wrong = await loginOf(accounts, EMAIL, 'a wrong password')
  expect(await loginOf(accounts, email)).toEqual(wrong)
  expect((await accounts.call('POST', `${path}/deactivate`)).status).toBe(409)

  const again = await accounts.call('POST', `${path}/activate`)

  expect(again.body.person.account).toMatchObject({ state: 'active', role: 'operator' })
  expect((await loginOf(accounts, email)).status).toBe(200)
  expect([await me(headers), await me(script)]).toEqual([401, 401])
  expect((await accounts.call('POST', `${path}/activate`)).status).toBe(409)
  const { activities } = (await accounts.call('GET', '/api/fleet/activity?limit=500')).body
  const changes = activities.flatMap(({ type, actor, detail }: Record<string, string>) =>
    type?.startsWith('account.') ? [[type, actor, detail]] : [],
  )
  expect(changes.slice(0, 2)).toEqual([
    ['account.activate', EMAIL, `Anna, ${email}`],
    ['account.deactivate', EMAIL, `Anna, ${email}`],
  ])
})

test('nobody activates an account outside of the dashboard', async () => {
  await using accounts = await startAccounts()
  const { person_id, email } = await accounts.colleague('Anna')
  await accounts.call('POST', `/api/people/${person_id}/account/deactivate`)

  await accounts.dashboard.db.write((queries) =>
    queries.update(users).set({ deactivated_at: null }).where(eq(users.email, email)),
  )

  expect((await loginOf(accounts, email)).status).toBe(401)
})

test('nobody has a deactivated account alerted', async () => {
  await using accounts = await startAccounts()
  const { person_id } = await accounts.colleague('Anna')
  await accounts.call('POST', `/api/people/${person_id}/account/deactivate`)

  const { body } = await accounts.call('GET', '/api/fleet/notifications')

  expect(body.notifications.recipients).toEqual([EMAIL])
})

test('the person of a removed account stays and can be invited again, as another account', async () => {
  await using accounts = await startAccounts()
  const { person_id, email, headers } = await accounts.colleague('Anna', { role: 'admin' })
  await accounts.call('PUT', '/api/settings/sync_interval', { value: 3600 }, headers)
  const before = await accounts.person(person_id)

  const { status, body } = await accounts.call('DELETE', `/api/people/${person_id}/account`)

  expect([status, body.person]).toEqual([200, { ...before, account: null }])
  expect((await accounts.call('GET', '/api/auth/me', undefined, headers)).status).toBe(401)
  expect((await loginOf(accounts, email)).status).toBe(401)
  const path = '/api/fleet/activity?type=settings.update'
  const [entry] = (await accounts.call('GET', path)).body.activities
  expect(entry.actor).toBe(`${email} (removed account 2)`)
  await accounts.accept(await accounts.token(person_id, { email, role: 'viewer' }))
  expect((await accounts.person(person_id)).account).toMatchObject({
    user_id: 3,
    email,
    role: 'viewer',
  })
  expect((await loginOf(accounts, email)).status).toBe(200)
})

test('an owner sees the sessions and tokens of an account, and nobody else does', async () => {
  await using accounts = await startAccounts()
  const anna = await accounts.colleague('Anna', { role: 'admin' })
  const path = `/api/people/${anna.person_id}/account/logins`
  const made = await accounts.call(
    'POST',
    '/api/auth/tokens',
    { name: 'CI', scope: 'read', password: NEW_PASSWORD },
    anna.headers,
  )

  const { status, body } = await accounts.call('GET', path)

  expect([status, body.sessions, body.tokens]).toEqual([
    200,
    [
      {
        id: expect.any(String),
        device: expect.any(String),
        address: expect.any(String),
        created_at: expect.any(String),
        last_used_at: expect.any(String),
        is_current: false,
      },
    ],
    [made.body.token],
  ])
  expect((await accounts.call('GET', path, undefined, anna.headers)).status).toBe(403)
  const ben = await accounts.addPerson('Ben')
  expect((await accounts.call('GET', `/api/people/${ben}/account/logins`)).status).toBe(404)
})

test('a person without an account has none to change', async () => {
  await using accounts = await startAccounts()
  const anna = await accounts.addPerson('Anna')
  await accounts.token(anna)

  const answers = await Promise.all(
    CALLS.slice(2).map((change) => changeOf(accounts)(anna, change)),
  )
  const unknown = await Promise.all(CALLS.map((change) => changeOf(accounts)(99, change)))

  expect(answers.map(({ status, body }) => [status, body.message])).toEqual(
    CALLS.slice(2).map(() => [404, 'Account not found']),
  )
  expect(unknown.map(({ status }) => status)).toEqual(CALLS.map(() => 404))
})

describe('grants on parts of the fleet', () => {
  const PLACES = { tag: null, server_id: null, site_id: null }
  const fleet = async () => {
    const accounts = await startAccounts()
    await accounts.call('POST', '/api/servers', {
      name: 'one',
      hostname: 'one.example',
      tags: ['shop'],
    })
    await accounts.call('POST', '/api/servers', { name: 'two', hostname: 'two.example' })
    return accounts
  }

  test('are given, replaced and taken away at once', async () => {
    await using accounts = await fleet()
    const { person_id, email, headers } = await accounts.colleague('Anna')
    const path = `/api/people/${person_id}/account`
    const servers = async () => {
      const { status, body } = await accounts.call('GET', '/api/servers', undefined, headers)
      return status === 200 ? body.servers.map(({ name }: { name: string }) => name) : status
    }
    const parts = [
      { gives: 'viewer', tag: 'shop' },
      { gives: 'operator', server_id: 2 },
    ]

    const given = await accounts.call('PATCH', path, { role: null, parts })
    const both = await servers()
    await accounts.call('PATCH', path, { parts: [{ gives: 'viewer', server_id: 2 }] })
    const one = await servers()
    await accounts.call('PATCH', path, { parts: [] })

    expect(given.body.person.account).toMatchObject({
      role: null,
      secrets: false,
      parts: [
        { ...PLACES, server: null, site: null, gives: 'viewer', tag: 'shop' },
        { ...PLACES, server: 'two', site: null, gives: 'operator', server_id: 2 },
      ],
    })
    expect([both, one, await servers()]).toEqual([['one', 'two'], ['two'], 403])
    const { activities } = (await accounts.call('GET', '/api/fleet/activity?type=account.role'))
      .body
    expect(activities.map(({ detail }: { detail: string }) => detail)).toEqual([
      `Anna, ${email}: no role, viewer on server 2 → no role`,
      `Anna, ${email}: no role, viewer on the tag shop, operator on server 2 → no role, viewer on server 2`,
      `Anna, ${email}: operator → no role, viewer on the tag shop, operator on server 2`,
    ])
  })

  test.each([
    [
      { gives: 'owner', tag: 'shop' },
      'Entry 1, gives: Must be one of client, restore, login, viewer, operator, admin, secrets',
    ],
    [{ gives: 'viewer', server_id: 9 }, 'Entry 1, server_id: Server 9 does not exist'],
    [{ gives: 'viewer', site_id: 9 }, 'Entry 1, site_id: Site 9 does not exist'],
    [{ gives: 'viewer', tag: 'shop-' }, 'Entry 1, tag: No server has the tag shop-'],
    [{ gives: 'viewer' }, 'Must have exactly one of tag, server_id and site_id'],
    [
      { gives: 'viewer', tag: 'shop', server_id: 1 },
      'Must have exactly one of tag, server_id and site_id',
    ],
  ])('are refused: %j', async (part, rule) => {
    await using accounts = await fleet()
    const { person_id } = await accounts.colleague('Anna')

    const { status, body } = await accounts.call('PATCH', `/api/people/${person_id}/account`, {
      parts: [part],
    })

    expect([status, body.fields]).toEqual([422, { parts: [rule] }])
  })

  test('show who may do what on a server', async () => {
    await using accounts = await fleet()
    const { person_id, email } = await accounts.colleague('Anna')
    await accounts.call('PATCH', `/api/people/${person_id}/account`, {
      role: null,
      parts: [
        { gives: 'viewer', tag: 'shop' },
        { gives: 'secrets', server_id: 1 },
      ],
    })

    const here = await accounts.call('GET', '/api/servers/1/rights')
    const there = await accounts.call('GET', '/api/servers/2/rights')

    const owner = {
      person_id: 1,
      name: 'Administrator',
      email: EMAIL,
      rights: ['client', 'read', 'restore', 'operate', 'login', 'secrets', 'admin'],
      grants: [{ gives: 'owner', ...PLACES, group: null }],
    }
    expect(there.body).toEqual({ accounts: [owner] })
    expect(here.body).toEqual({
      accounts: [
        owner,
        {
          person_id,
          name: 'Anna',
          email,
          rights: ['client', 'read', 'login', 'secrets'],
          grants: [
            { gives: 'viewer', ...PLACES, tag: 'shop', group: null },
            { gives: 'secrets', ...PLACES, server_id: 1, group: null },
          ],
        },
      ],
    })
  })
})
