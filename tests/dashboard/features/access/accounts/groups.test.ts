// tier: gate
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { listAddresses } from '#dashboard/features/alerts/queries.ts'
import { findGrants } from '#dashboard/kernel/auth/grants.queries.ts'
import { group_grants, group_members, groups } from '#dashboard/kernel/db/auth-schema.ts'
import { PING } from '#shared/kernel/sse.ts'
import { type Accounts, Meeting, startAccounts } from '#tests/support/dashboard/accounts.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { addGroup } from '#tests/support/dashboard/groups.ts'

const AT = '2026-01-01T00:00:00.000Z'
const PLACES = { tag: null, server_id: null, site_id: null }
const ON_SHOP = { ...PLACES, gives: 'operator' as const, tag: 'shop' }
const FORBIDDEN = 403

/** A dashboard with two servers, of which the first has the tag shop, and Anna without any grant. */
async function start(options: Parameters<typeof startAccounts>[0] = {}) {
  const accounts = await startAccounts(options)
  const { call } = accounts
  await call('POST', '/api/servers', { name: 'one', hostname: 'one.example', tags: ['shop'] })
  await call('POST', '/api/servers', { name: 'two', hostname: 'two.example' })
  const anna = await accounts.colleague('Anna')
  await call('PATCH', `/api/people/${anna.person_id}/account`, { role: null, parts: [] })
  const account = async () => (await accounts.person(anna.person_id)).account
  return { accounts, call, anna, account }
}

/** The names of the servers that somebody sees, or the refusal. */
async function serversOf({ call }: Accounts, headers: Record<string, string>) {
  const { status, body } = await call('GET', '/api/servers', undefined, headers)
  return status === 200 ? body.servers.map(({ name }: { name: string }) => name) : status
}

async function entriesOf({ call }: Accounts) {
  const { activities } = (await call('GET', '/api/fleet/activity?limit=500')).body
  return activities.flatMap(({ type, actor, detail }: Record<string, string>) =>
    type?.startsWith('group.') ? [[type, actor, detail]] : [],
  )
}

test('an owner makes, changes, renames and removes a group, whose members have its grants', async () => {
  const { accounts, call, anna, account } = await start({ clock: new HeldClock() })
  await using _ = accounts
  const before = await serversOf(accounts, anna.headers)

  const made = await call('POST', '/api/groups', {
    name: 'Shop team',
    parts: [{ gives: 'operator', tag: 'shop' }],
    members: [2],
  })

  const on_shop = { gives: 'operator', tag: 'shop', server_id: null, server: null }
  const rights = {
    id: 1,
    name: 'Shop team',
    role: null,
    secrets: false,
    parts: [{ ...on_shop, site_id: null, site: null }],
  }
  const group = {
    ...rights,
    members: [{ user_id: 2, person_id: anna.person_id, name: 'Anna' }],
    made_at: AT,
  }
  expect([made.status, made.body]).toEqual([201, { group }])
  expect((await call('GET', '/api/groups')).body).toEqual({ groups: [group] })
  expect(await account()).toMatchObject({ role: null, parts: [], groups: [rights] })
  expect([before, await serversOf(accounts, anna.headers)]).toEqual([FORBIDDEN, ['one']])

  const change = { name: 'Team', role: 'viewer', secrets: true, parts: [], members: [1, 2] }
  const changed = await call('PATCH', '/api/groups/1', change)
  await call('PATCH', '/api/groups/1', change)

  expect([changed.status, changed.body.group]).toEqual([
    200,
    {
      ...group,
      ...{ name: 'Team', role: 'viewer', secrets: true, parts: [] },
      members: [{ user_id: 1, person_id: 1, name: 'Administrator' }, ...group.members],
    },
  ])
  expect(await serversOf(accounts, anna.headers)).toEqual(['one', 'two'])
  expect(await findGrants(accounts.dashboard.deps, 2)).toEqual({
    grants: ['viewer', 'secrets'],
    parts: [],
  })
  expect(await findGrants(accounts.dashboard.deps, 1)).toEqual({
    grants: ['viewer', 'owner', 'secrets'],
    parts: [],
  })

  const removed = await call('DELETE', '/api/groups/1')

  expect([removed.status, (await call('GET', '/api/groups')).body]).toEqual([204, { groups: [] }])
  expect(await serversOf(accounts, anna.headers)).toBe(FORBIDDEN)
  expect((await account()).groups).toEqual([])
  expect((await call('DELETE', '/api/groups/1')).status).toBe(404)
  const former = `no role, operator on the tag shop; members: ${anna.email}`
  const latter = `viewer with secrets; members: ${EMAIL}, ${anna.email}`
  expect(await entriesOf(accounts)).toEqual([
    ['group.remove', EMAIL, `Team: ${latter}`],
    ['group.change', EMAIL, `Shop team, now Team: ${former} → ${latter}`],
    ['group.create', EMAIL, `Shop team: ${former}`],
  ])
  await call('POST', '/api/groups', { name: 'Team' })
  expect((await call('GET', '/api/groups')).body.groups[0].id).toBe(2)
})

test('grants of groups add to each other and to the own ones, each once', async () => {
  const { accounts, call, anna } = await start()
  await using _ = accounts
  await call('PATCH', `/api/people/${anna.person_id}/account`, {
    role: 'viewer',
    parts: [{ gives: 'operator', tag: 'shop' }],
  })
  const on_two = { ...PLACES, gives: 'admin' as const, server_id: 2 }
  await addGroup(accounts, { name: 'Two', parts: [on_two, ON_SHOP], members: [2] })
  await addGroup(accounts, { name: 'Admins', role: 'admin', members: [2] })
  await addGroup(accounts, { name: 'Others', role: 'operator', parts: [on_two] })

  expect(await findGrants(accounts.dashboard.deps, 2)).toEqual({
    grants: ['viewer', 'admin'],
    parts: [ON_SHOP, on_two],
  })
  expect((await call('GET', '/api/auth/rights', undefined, anna.headers)).body.role).toBe('admin')
})

test('who may do what here names the group by which somebody has a right', async () => {
  const { accounts, call, anna } = await start()
  await using _ = accounts
  await addGroup(accounts, { name: 'Shop team', parts: [ON_SHOP], members: [2] })
  await addGroup(accounts, { name: 'Readers', role: 'viewer', members: [2] })

  const grantsAt = async (server: number) => {
    const { accounts } = (await call('GET', `/api/servers/${server}/rights`)).body
    return accounts.find(({ name }: { name: string }) => name === 'Anna')
  }

  const readers = { ...PLACES, gives: 'viewer', group: { id: 2, name: 'Readers' } }
  const who = { person_id: anna.person_id, name: 'Anna', email: anna.email }
  expect(await grantsAt(1)).toEqual({
    ...who,
    rights: ['client', 'read', 'restore', 'operate'],
    grants: [readers, { ...ON_SHOP, group: { id: 1, name: 'Shop team' } }],
  })
  expect(await grantsAt(2)).toEqual({ ...who, rights: ['client', 'read'], grants: [readers] })
})

test('a service account is a member like a person, and leaves with its removal', async () => {
  const { accounts, call } = await start()
  await using _ = accounts
  const made = await call('POST', '/api/service-accounts', { name: 'robot', role: null })
  const { id } = made.body.service_account
  const token = await call('POST', `/api/service-accounts/${id}/tokens`, { name: 'CI' })
  const headers = { cookie: '', authorization: `Bearer ${token.body.plaintext}` }
  const path = await addGroup(accounts, { name: 'Shop team', parts: [ON_SHOP], members: [id] })

  const seen = await serversOf(accounts, headers)
  const [listed] = (await call('GET', '/api/service-accounts')).body.service_accounts
  await call('POST', `/api/service-accounts/${id}/deactivate`)
  const deactivated = (await call('GET', '/api/groups')).body.groups[0].members
  await call('DELETE', `/api/service-accounts/${id}`)

  expect(seen).toEqual(['one'])
  expect(deactivated).toEqual([{ user_id: id, person_id: null, name: 'robot' }])
  expect(listed.groups.map(({ name }: { name: string }) => name)).toEqual(['Shop team'])
  const [group] = (await call('GET', '/api/groups')).body.groups
  expect(group.members).toEqual([])
  expect((await call('PATCH', path, { members: [id] })).body.fields).toEqual({
    members: [`Entry 1: Account ${id} does not exist`],
  })
})

test.each([
  [{}, { name: ['Name is required'] }],
  [
    { name: 'a@b.example' },
    { name: ['Must have 1 to 64 letters, digits, spaces, dots, hyphens and underscores'] },
  ],
  [{ name: 'Shop team' }, { name: ['Another group has this name'] }],
  [{ name: 'x', role: 'owner' }, { role: ['Must be one of viewer, operator, admin'] }],
  [
    { name: 'x', secrets: true },
    { secrets: ['Needs a role; without one, give the secrets on parts of the fleet'] },
  ],
  [
    { name: 'x', parts: [{ gives: 'owner', tag: 'shop' }] },
    {
      parts: [
        'Entry 1, gives: Must be one of client, restore, login, viewer, operator, admin, secrets',
      ],
    },
  ],
  [
    { name: 'x', parts: [{ gives: 'client' }] },
    { parts: ['Must have exactly one of tag, server_id and site_id'] },
  ],
  [
    { name: 'x', parts: [{ gives: 'viewer', server_id: 9 }] },
    { parts: ['Entry 1, server_id: Server 9 does not exist'] },
  ],
  [{ name: 'x', members: [2, 9] }, { members: ['Entry 2: Account 9 does not exist'] }],
  [{ name: 'x', members: [2, 2] }, { members: ['Entry 2: Is given twice'] }],
  [
    { name: 'x', id: 7, mark: 'x' },
    { id: ['Unknown field'], mark: ['Unknown field'] },
  ],
])('a new group is refused: %j', async (body, fields) => {
  const { accounts, call } = await start()
  await using _ = accounts
  await addGroup(accounts, { name: 'Shop team' })

  const refused = await call('POST', '/api/groups', body)

  expect([refused.status, refused.body.fields]).toEqual([422, fields])
  expect((await call('GET', '/api/groups')).body.groups).toHaveLength(1)
})

test('a group cannot take the name of another one', async () => {
  const { accounts, call } = await start()
  await using _ = accounts
  await addGroup(accounts, { name: 'One' })
  const path = await addGroup(accounts, { name: 'Two' })

  const { status, body } = await call('PATCH', path, { name: 'One' })

  expect([status, body.fields]).toEqual([422, { name: ['Another group has this name'] }])
})

describe('only an owner with a recent password', () => {
  test.each([
    ['POST', '/api/groups', { name: 'Admins', role: 'admin', members: [2] }],
    ['PATCH', '/api/groups/1', { role: 'admin', members: [2] }],
    ['DELETE', '/api/groups/1', undefined],
  ])('calls %s %s', async (method, path, body) => {
    const clock = new HeldClock()
    const { accounts, call, anna } = await start({ clock })
    await using _ = accounts
    await addGroup(accounts, { name: 'Admins', role: 'admin', members: [2] })
    const before = (await call('GET', '/api/groups')).body
    const token = { name: 'script', password: PASSWORD, scope: 'admin' }
    const { plaintext } = (await call('POST', '/api/auth/tokens', token)).body
    const script = { cookie: '', authorization: `Bearer ${plaintext}` }

    const asAdmin = await call(method, path, body, anna.headers)
    const asScript = await call(method, path, body, script)
    clock.move(31 * 60_000)
    const late = await call(method, path, body)

    expect([asAdmin.status, asAdmin.body.message]).toEqual([
      403,
      'This needs the role owner: ask an owner of this dashboard',
    ])
    expect([asScript.status, asScript.body.message]).toEqual([
      403,
      'API tokens cannot do this: log in with the password of the account',
    ])
    expect([late.status, late.body.code]).toEqual([409, 'confirmation_needed'])
    expect((await call('GET', '/api/groups')).body).toEqual(before)
  })
})

describe('nobody gets a grant', () => {
  test.each(['members', 'grants', 'name', 'moved grant'])(
    'by writing the %s of a group to the database',
    async (what) => {
      const { accounts, anna } = await start()
      await using _ = accounts
      const { db, deps } = accounts.dashboard
      const path = await addGroup(accounts, { name: 'Admins', role: 'admin', members: [1] })
      const own = await addGroup(accounts, { name: 'Own', parts: [ON_SHOP], members: [2] })
      const [row] = await db.read.select().from(group_members)
      const whole = { ...PLACES, gives: 'admin' as const, given_at: 'x' }
      const writes: Record<string, () => Promise<unknown>> = {
        members: () =>
          db.write((queries) =>
            queries.insert(group_members).values({
              group_id: 1,
              user_id: 2,
              added_at: row?.added_at ?? '',
              mark: row?.mark ?? '',
            }),
          ),
        grants: () =>
          db.write((queries) => queries.insert(group_grants).values({ ...whole, group_id: 2 })),
        name: () =>
          db.write((queries) =>
            queries.update(groups).set({ name: 'Other' }).where(eq(groups.id, 2)),
          ),
        'moved grant': () =>
          db.write((queries) => queries.update(group_grants).set({ group_id: 2, tag: null })),
      }

      await writes[what]?.()

      const parts = what === 'members' || what === 'grants' ? [ON_SHOP] : []
      expect([path, own]).toEqual(['/api/groups/1', '/api/groups/2'])
      expect(await findGrants(deps, 2)).toEqual({ grants: [], parts })
      const seen = parts.length > 0 ? ['one'] : FORBIDDEN
      expect(await serversOf(accounts, anna.headers)).toEqual(seen)
    },
  )

  test('by a group of which they are no member', async () => {
    const { accounts, anna } = await start()
    await using _ = accounts
    await addGroup(accounts, { name: 'Admins', role: 'admin', members: [1] })
    await addGroup(accounts, { name: 'Empty', role: 'admin' })

    expect(await serversOf(accounts, anna.headers)).toBe(FORBIDDEN)
  })

  test('by a group that somebody else wrote, whose name is free for an owner', async () => {
    const { accounts, call, anna } = await start()
    await using _ = accounts
    const { db } = accounts.dashboard
    await db.write((queries) => queries.insert(groups).values({ name: 'Admins', made_at: AT }))

    expect((await call('GET', '/api/groups')).body.groups).toEqual([])
    await addGroup(accounts, { name: 'Admins', parts: [ON_SHOP], members: [2] })

    expect(await serversOf(accounts, anna.headers)).toEqual(['one'])
  })
})

test.each(['is deleted', 'loses a member', 'gives less'])(
  'a stream of a member ends when the group %s',
  async (what) => {
    const { accounts, call, anna } = await start()
    await using _ = accounts
    const path = await addGroup(accounts, { name: 'Shop team', parts: [ON_SHOP], members: [2] })
    const stream = await accounts.dashboard.send(
      'GET',
      '/api/fleet/events',
      undefined,
      anna.headers,
    )
    const over = stream.text()
    const before = await Promise.race([over, Bun.sleep(100).then(() => 'open')])

    if (what === 'is deleted') await call('DELETE', path)
    else await call('PATCH', path, what === 'gives less' ? { parts: [] } : { members: [] })

    expect(before).toBe('open')
    expect(await over).toStartWith(PING)
    expect(await serversOf(accounts, anna.headers)).toBe(FORBIDDEN)
  },
)

test('a token of a member shrinks with the group', async () => {
  const { accounts, call, anna } = await start()
  await using _ = accounts
  const path = await addGroup(accounts, { name: 'Team', role: 'operator', members: [2] })
  const only_for = [{ tag: 'shop' }]
  const token = { name: 'script', password: 'an own long password', scope: 'operate', only_for }
  const made = await call('POST', '/api/auth/tokens', token, anna.headers)
  const headers = { cookie: '', authorization: `Bearer ${made.body.plaintext}` }
  const rights = async () => {
    const { body } = await call('GET', '/api/token', undefined, headers)
    return body.parts?.map(({ rights }: { rights: string[] }) => rights)
  }

  const first = await rights()
  await call('PATCH', path, { role: 'viewer' })
  const second = await rights()
  await call('DELETE', path)

  expect(made.status).toBe(201)
  expect(first).toEqual([['own.read', 'client', 'read', 'restore', 'operate']])
  expect(second).toEqual([['own.read', 'client', 'read']])
  expect(await rights()).toEqual([])
  expect(await serversOf(accounts, headers)).toBe(FORBIDDEN)
})

test('no group saves a dashboard from losing its only owner', async () => {
  const { accounts, call } = await start()
  await using _ = accounts
  await addGroup(accounts, { name: 'Admins', role: 'admin', members: [1, 2] })

  const { status, body } = await call('PATCH', '/api/people/1/account', { role: null })

  expect([status, body.message]).toEqual([
    409,
    `${EMAIL} is the only owner of this dashboard: make somebody else an owner first`,
  ])
})

test('a deactivated account stays a member, and a removed one does not', async () => {
  const { accounts, call, anna } = await start()
  await using _ = accounts
  const path = await addGroup(accounts, { name: 'Shop team', parts: [ON_SHOP], members: [2] })
  const members = async () => (await call('GET', '/api/groups')).body.groups[0].members.length
  const change = `/api/people/${anna.person_id}/account`

  await call('POST', `${change}/deactivate`)
  const deactivated = [
    await members(),
    (await call('PATCH', path, { members: [1, 2] })).status,
    (await call('GET', '/api/servers/1/rights')).body.accounts.length,
  ]
  await call('POST', `${change}/activate`)
  const active = await serversOf(accounts, await accounts.logIn(anna.email))
  await call('DELETE', change)

  expect([deactivated, active, await members()]).toEqual([[1, 200, 1], ['one'], 1])
  const left = await accounts.dashboard.db.read.select().from(group_members)
  expect(left.map(({ user_id }) => user_id)).toEqual([1])
})

test('an account that sees the fleet by a group gets the messages about it', async () => {
  const { accounts, anna } = await start()
  await using _ = accounts
  const { db, deps } = accounts.dashboard
  await addGroup(accounts, { name: 'Shop team', parts: [ON_SHOP], members: [2] })
  const before = await listAddresses(db, deps.marks)
  await addGroup(accounts, { name: 'Readers', role: 'viewer', members: [2] })

  expect([before, await listAddresses(db, deps.marks)]).toEqual([[EMAIL], [EMAIL, anna.email]])
})

test('the grant of a group ends with its server', async () => {
  const { accounts, call } = await start()
  await using _ = accounts
  const on_two = { ...PLACES, gives: 'viewer' as const, server_id: 2 }
  await addGroup(accounts, { name: 'Team', parts: [on_two, ON_SHOP], members: [2] })

  const removed = await call('DELETE', '/api/servers/2')

  expect(removed.status).toBeLessThan(300)
  expect(await findGrants(accounts.dashboard.deps, 2)).toEqual({ grants: [], parts: [ON_SHOP] })
})

test('of two changes of a group at the same time, the second one starts from the first one', async () => {
  const meeting = new Meeting()
  const { accounts, call } = await start({ open: meeting.open })
  await using _ = accounts
  const path = await addGroup(accounts, { name: 'Team', members: [2] })

  meeting.gather(2)
  const both = await Promise.all([
    call('PATCH', path, { role: 'viewer' }),
    call('PATCH', path, { members: [] }),
  ])

  expect(both.map(({ status }) => status)).toEqual([200, 200])
  const [group] = (await call('GET', '/api/groups')).body.groups
  expect([group.role, group.members]).toEqual(['viewer', []])
  const details = (await entriesOf(accounts)).map(([, , detail]: string[]) => detail?.slice(6))
  const [second = '', first = ''] = details
  expect([first.split(' → ')[1], second.split(' → ')[1]]).toEqual([
    second.split(' → ')[0],
    'viewer; members: none',
  ])
})

test('an invitation names groups, of which the account becomes a member', async () => {
  const { accounts, call } = await start()
  await using _ = accounts
  await addGroup(accounts, { name: 'Shop team', parts: [ON_SHOP] })
  const care = await addGroup(accounts, { name: 'Care', role: 'viewer' })
  await addGroup(accounts, { name: 'Night', role: 'admin' })
  const ben = await accounts.addPerson('Ben')
  const shop_team = {
    ...{ id: 1, name: 'Shop team', role: null, secrets: false },
    parts: [{ ...ON_SHOP, server: null, site: null }],
  }
  const care_team = { id: 2, name: 'Care', role: 'viewer', secrets: false, parts: [] }

  const token = await accounts.token(ben, { role: null, groups: [1, 2] })
  const invited = await accounts.person(ben)
  const shown = await accounts.show(token)
  await call('DELETE', care)
  const accepted = await accounts.accept(token, { name: 'Ben' })
  const headers = await accounts.logIn(accepted.body.account.email)

  expect(invited.account.groups).toEqual([care_team, shop_team])
  expect(shown.body.invitation.groups).toEqual([care_team, shop_team])
  expect((await accounts.person(ben)).account.groups).toEqual([shop_team])
  expect(await serversOf(accounts, headers)).toEqual(['one'])
  const { activities } = (await call('GET', '/api/fleet/activity?limit=5')).body
  const details = activities.map(({ type, detail }: Record<string, string>) => [type, detail])
  const email = `person-${ben}@example.com`
  expect(details).toContainEqual([
    'account.invite',
    `Ben, ${email}: no role; groups: Shop team, Care`,
  ])
  expect(details).toContainEqual(['account.accept', `Ben, ${email}: no role; groups: Shop team`])
})

test.each([
  [[7], 'Entry 1: Group 7 does not exist'],
  [[1, 1], 'Entry 2: Is given twice'],
])('an invitation to the groups %j is refused', async (groups, text) => {
  const { accounts } = await start()
  await using _ = accounts
  await addGroup(accounts, { name: 'Care', role: 'viewer' })
  const ben = await accounts.addPerson('Ben')

  const { status, body } = await accounts.invite(ben, { groups })

  expect([status, body.fields]).toEqual([422, { groups: [text] }])
  expect((await accounts.person(ben)).account).toBeNull()
})
