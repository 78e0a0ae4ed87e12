// tier: gate
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { grants, part_grants, policy_rules } from '#dashboard/kernel/db/auth-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { Meeting, startAccounts } from '#tests/support/dashboard/accounts.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const AT = '2026-01-01T00:00:00.000Z'

/** Two servers, of which the first has a tag, a site on each, and Anna, an operator of the tag. */
async function start(options: Parameters<typeof startAccounts>[0] = {}) {
  const accounts = await startAccounts({ clock: new HeldClock(), ...options })
  const { call, dashboard } = accounts
  const addServer = (name: string, tags: readonly string[]) =>
    call('POST', '/api/servers', {
      name,
      hostname: `${name}.example`,
      port: 22,
      user: 'root',
      tags,
    })
  await addServer('web-1', ['shop'])
  await addServer('web-2', [])
  for (const [server_id, domain] of [
    [1, 'one.example'],
    [2, 'two.example'],
  ] as const)
    await dashboard.db.write((queries) =>
      queries.insert(sites).values({
        server_id,
        domain,
        apex: domain,
        user: domain.slice(0, 3),
        php: '8.4',
        tier: 'small',
        tls: 'none',
        managed: true,
        status: 'active',
        created_at: AT,
      }),
    )
  const anna = await accounts.colleague('Anna', {
    role: null,
    parts: [{ gives: 'operator', tag: 'shop' }],
    email: 'anna@example.com',
  })
  return {
    ...accounts,
    [Symbol.asyncDispose]: () => accounts[Symbol.asyncDispose](),
    addServer,
    anna: `/api/people/${anna.person_id}/account`,
    headers: anna.headers,
    call,
    db: dashboard.db,
    add: (rule: string | object) =>
      call('POST', '/api/policy/rules', typeof rule === 'string' ? { rule } : rule),
    async rules(): Promise<[rule: string, holds: boolean, problem: string | null][]> {
      const { body } = await call('GET', '/api/policy/rules')
      return body.rules.map(({ rule, holds, problem }: never) => [rule, holds, problem])
    },
  }
}

const broken = (rule: string, problem: string, id = 1) => ({
  status: 409,
  body: {
    error: 'Conflict',
    message: `A rule of the access policy would not hold any more. "${rule}": ${problem}. An owner can delete the rule on the page People first`,
    code: 'policy_broken',
    broken_rules: [{ id, rule, problem }],
  },
})

const UPDATES = 'anna@example.com can site.update@tag:shop'

test('an owner adds a rule as a line or in fields, lists and deletes it', async () => {
  await using all = await start()
  const rule = {
    id: 1,
    user_id: 2,
    account: 'anna@example.com',
    can: true,
    what: 'site.update',
    tag: 'shop',
    server_id: null,
    site_id: null,
    rule: UPDATES,
    holds: true,
    problem: null,
    created_at: AT,
  }
  const other = { user_id: 2, can: false, what: 'site.delete', site_id: 2 }

  expect(await all.add(UPDATES)).toEqual({ status: 201, body: { rule } })
  const added = await all.add(other)
  expect(added.body.rule.rule).toBe('anna@example.com cannot site.delete@site:two.example')
  expect((await all.call('GET', '/api/policy/rules')).body).toEqual({
    rules: [rule, added.body.rule],
  })
  expect([await all.add(UPDATES), await all.add(other)]).toEqual(
    [1, 2].map(() => ({
      status: 409,
      body: { error: 'Conflict', message: 'The rule exists already' },
    })),
  )
  expect((await all.call('DELETE', '/api/policy/rules/1')).status).toBe(204)
  expect((await all.call('DELETE', '/api/policy/rules/1')).status).toBe(404)
  expect(await all.rules()).toEqual([[added.body.rule.rule, true, null]])
  const { activities } = (await all.call('GET', '/api/fleet/activity?limit=3')).body
  expect(activities.map(({ type, detail, actor }: never) => [type, detail, actor])).toEqual([
    ['policy.rule_delete', UPDATES, EMAIL],
    ['policy.rule_add', added.body.rule.rule, EMAIL],
    ['policy.rule_add', UPDATES, EMAIL],
  ])
})

test('only an owner with a recent password changes the policy, and no token', async () => {
  const clock = new HeldClock()
  await using all = await start({ clock })
  const admin = await all.dashboard.signInWith(['admin'])
  const token = { name: 'script', password: PASSWORD, scope: 'admin' }
  const { plaintext } = (await all.call('POST', '/api/auth/tokens', token)).body
  const script = { cookie: '', authorization: `Bearer ${plaintext}` }
  await all.add(UPDATES)
  const statusOf = (method: string, path: string, headers?: Record<string, string>) =>
    all
      .call(
        method,
        `/api/policy/rules${path}`,
        method === 'POST' ? { rule: UPDATES } : undefined,
        headers,
      )
      .then(({ status, body }) => [status, body.code])
  const statuses = async (headers?: Record<string, string>) => [
    await statusOf('GET', '', headers),
    await statusOf('POST', '', headers),
    await statusOf('DELETE', '/1', headers),
  ]

  expect([await statuses(admin), await statuses(all.headers), await statuses(script)]).toEqual([
    [
      [403, undefined],
      [403, undefined],
      [403, undefined],
    ],
    [
      [403, undefined],
      [403, undefined],
      [403, undefined],
    ],
    [
      [200, undefined],
      [403, undefined],
      [403, undefined],
    ],
  ])
  clock.move(31 * 60_000)
  expect(await statuses()).toEqual([
    [200, undefined],
    [409, 'confirmation_needed'],
    [409, 'confirmation_needed'],
  ])
  expect(await all.rules()).toEqual([[UPDATES, true, null]])
})

const WRONG: readonly [rule: string | object, fields: object][] = [
  [
    'nobody@example.com can read@*',
    {
      rule: [
        'Account: No account in use is named nobody@example.com, in "nobody@example.com can read@*"',
      ],
    },
  ],
  [
    'anna@example.com can read@tag:blog',
    { rule: ['Where: No server has the tag blog, in "anna@example.com can read@tag:blog"'] },
  ],
  [
    'anna@example.com can read@server:web-3',
    { rule: ['Where: There is no server web-3, in "anna@example.com can read@server:web-3"'] },
  ],
  [
    'anna@example.com can read@site:#9',
    { rule: ['Where: There is no site #9, in "anna@example.com can read@site:#9"'] },
  ],
  [
    'anna@example.com can service.restart@site:one.example',
    {
      rule: [
        'Where: service.restart is about servers: choose a server, a tag or the whole fleet, in "anna@example.com can service.restart@site:one.example"',
      ],
    },
  ],
  [
    'anna@example.com cannot accounts@tag:shop',
    {
      rule: [
        'Where: The right accounts belongs to the whole fleet, in "anna@example.com cannot accounts@tag:shop"',
      ],
    },
  ],
  [
    'anna@example.com may read@*',
    { rule: ['Verb: Must be can or cannot, not may, in "anna@example.com may read@*"'] },
  ],
  [{}, { user_id: ['Is required'], can: ['Is required'], what: ['Is required'] }],
  [{ rule: UPDATES, can: true }, { can: ['Must be absent beside rule'] }],
  [
    { user_id: 2, can: true, what: 'read' },
    { fleet: ['Must have exactly one of fleet, tag, server_id and site_id'] },
  ],
  [
    { user_id: 2, can: true, what: 'read', fleet: true, tag: 'shop' },
    { fleet: ['Must have exactly one of fleet, tag, server_id and site_id'] },
  ],
  [
    { user_id: 9, can: true, what: 'read', fleet: true },
    { user_id: ['No account in use has the id 9'] },
  ],
  [{ user_id: 2, can: true, what: 'read', server_id: 9 }, { server_id: ['There is no server #9'] }],
  [{ user_id: 2, can: true, what: 'read', site_id: 9 }, { site_id: ['There is no site #9'] }],
  [{ user_id: 2, can: true, what: 'read', tag: 'blog' }, { tag: ['No server has the tag blog'] }],
  [
    { user_id: 2, can: true, what: 'agent.upgrade', site_id: 1 },
    { site_id: ['agent.upgrade is about servers: choose a server, a tag or the whole fleet'] },
  ],
]

test('a rule with a wrong part is refused, and names the part', async () => {
  await using all = await start()
  const answers: unknown[] = []
  for (const [rule] of WRONG) answers.push(await all.add(rule))

  expect(answers).toEqual(
    WRONG.map(([, fields]) => ({ status: 422, body: { error: 'Validation failed', fields } })),
  )
  expect(await all.rules()).toEqual([])
})

test('a name that two servers have must be written as an id', async () => {
  await using all = await start()
  await all.addServer('web-1', ['shop'])

  const named = await all.add('anna@example.com can read@server:web-1')
  const byId = await all.add('anna@example.com can read@server:#3')

  expect(named.body.fields).toEqual({
    rule: [
      'Where: Several servers are named web-1: write server:#1, with the id, in "anna@example.com can read@server:web-1"',
    ],
  })
  expect(byId.body.rule.rule).toBe('anna@example.com can read@server:#3')
})

test('a rule that does not hold now cannot be added', async () => {
  await using all = await start()

  expect(await all.add('anna@example.com cannot backup.create@*')).toEqual({
    status: 409,
    body: {
      error: 'Conflict',
      message:
        'The rule "anna@example.com cannot backup.create@*" does not hold now: anna@example.com can do it on the tag shop. Change the rights first',
      code: 'rule_not_true',
    },
  })
  expect(await all.rules()).toEqual([])
})

describe('a change after which a rule would not hold is refused, and the same without the rule is made:', () => {
  type World = Awaited<ReturnType<typeof start>>
  test.each<[string, string, string, (all: World) => ReturnType<World['call']>]>([
    [
      'less grants',
      UPDATES,
      'anna@example.com cannot do it on the server web-1',
      ({ call, anna }) => call('PATCH', anna, { parts: [] }),
    ],
    [
      'more grants',
      'anna@example.com cannot site.delete@server:web-2',
      'anna@example.com can do it on the site two.example',
      ({ call, anna }) =>
        call('PATCH', anna, {
          parts: [
            { gives: 'operator', tag: 'shop' },
            { gives: 'operator', site_id: 2 },
          ],
        }),
    ],
    [
      'a role',
      'anna@example.com cannot secrets@*',
      'anna@example.com can do it in the whole fleet',
      ({ call, anna }) => call('PATCH', anna, { role: 'admin' }),
    ],
    [
      'a deactivation',
      UPDATES,
      'anna@example.com is not in use, and cannot do it on the server web-1',
      ({ call, anna }) => call('POST', `${anna}/deactivate`),
    ],
    [
      'a removal',
      UPDATES,
      'anna@example.com is not in use, and cannot do it on the server web-1',
      ({ call, anna }) => call('DELETE', anna),
    ],
    [
      'another tag of a server',
      'anna@example.com cannot read@server:web-2',
      'anna@example.com can do it on the server web-2',
      ({ call }) => call('PATCH', '/api/servers/2', { tags: ['shop'] }),
    ],
    [
      'the end of a tag of a server',
      'anna@example.com can site.update@site:one.example',
      'anna@example.com cannot do it on the site one.example',
      ({ call }) => call('PATCH', '/api/servers/1', { tags: [] }),
    ],
    [
      'a new server',
      'robot can read@tag:shop',
      'robot cannot do it on the server web-3',
      ({ addServer }) => addServer('web-3', ['shop']),
    ],
    [
      'the grants of a service account',
      'robot can read@server:web-1',
      'robot cannot do it on the server web-1',
      ({ call }) =>
        call('PATCH', '/api/service-accounts/3', { parts: [{ gives: 'viewer', site_id: 1 }] }),
    ],
    [
      'the removal of a service account',
      'robot can read@site:one.example',
      'robot is not in use, and cannot do it on the site one.example',
      ({ call }) => call('DELETE', '/api/service-accounts/3'),
    ],
  ])('%s', async (_, rule, problem, change) => {
    await using all = await start()
    const parts = [{ gives: 'viewer', server_id: 1 }]
    await all.call('POST', '/api/service-accounts', { name: 'robot', role: null, parts })
    await all.add(rule)
    const state = async () => [
      await all.db.read.select().from(grants),
      await all.db.read.select().from(part_grants),
      await all.db.read.select({ tags: servers.tags }).from(servers),
    ]
    const before = await state()

    const refused = await change(all)

    expect(refused).toEqual(broken(rule, problem))
    expect(await state()).toEqual(before)
    await all.call('DELETE', '/api/policy/rules/1')
    expect((await change(all)).status).toBeLessThan(300)
  })
})

test('an activation that would break a rule is refused', async () => {
  await using all = await start()
  await all.call('POST', `${all.anna}/deactivate`)
  const added = await all.add({ user_id: 2, can: false, what: 'read', fleet: true })
  expect(added.body).toEqual({
    error: 'Validation failed',
    fields: { user_id: ['No account in use has the id 2'] },
  })
  await all.call('POST', `${all.anna}/activate`)
  await all.call('PATCH', all.anna, { parts: [] })
  await all.add('anna@example.com cannot read@*')
  await all.call('POST', `${all.anna}/deactivate`)
  await all.call('PATCH', all.anna, { role: 'viewer' })

  expect(await all.call('POST', `${all.anna}/activate`)).toEqual(
    broken('anna@example.com cannot read@*', 'anna@example.com can do it in the whole fleet'),
  )
})

test('the rules of a removed account, server and site end with it', async () => {
  await using all = await start()
  await all.add('anna@example.com cannot secrets@*')
  await all.add(`${EMAIL} can read@server:web-1`)
  await all.add(`${EMAIL} can read@site:two.example`)
  await all.add(`${EMAIL} can read@tag:shop`)

  await all.call('DELETE', all.anna)
  expect((await all.call('DELETE', '/api/servers/1')).status).toBe(204)
  await all.db.write((queries) => queries.delete(sites).where(eq(sites.id, 2)))

  expect(await all.rules()).toEqual([[`${EMAIL} can read@tag:shop`, true, null]])
})

test('the list shows what was changed from outside, and that stops no other change', async () => {
  await using all = await start()
  await all.add(UPDATES)
  await all.add('anna@example.com cannot read@server:web-2')
  await all.db.write((queries) =>
    queries.update(part_grants).set({ mark: 'forged' }).where(eq(part_grants.user_id, 2)),
  )
  await all.db.write((queries) =>
    queries.update(policy_rules).set({ what: 'admin' }).where(eq(policy_rules.id, 2)),
  )

  expect(await all.rules()).toEqual([
    [UPDATES, false, 'anna@example.com cannot do it on the server web-1'],
    [
      'anna@example.com cannot admin@server:web-2',
      false,
      'The rule was changed outside of the dashboard and has no effect: delete it and add it again',
    ],
  ])
  expect((await all.call('PATCH', all.anna, { role: 'admin' })).status).toBe(200)
})

test('of a rule and a change that breaks it, made at the same time, one is refused', async () => {
  const meeting = new Meeting()
  await using all = await start({ open: meeting.open })
  meeting.gather(2)

  const [added, changed] = await Promise.all([
    all.add('anna@example.com cannot secrets@*'),
    all.call('PATCH', all.anna, { role: 'admin' }),
  ])

  expect([added.body.code, changed.body.code].filter(Boolean)).toHaveLength(1)
  expect((await all.rules()).every(([, holds]) => holds)).toBe(true)
})

test('two changes that break a rule only together do not both happen', async () => {
  const meeting = new Meeting()
  await using all = await start({ open: meeting.open })
  await all.call('PATCH', all.anna, { parts: [] })
  await all.add('anna@example.com cannot read@server:web-2')
  meeting.gather(2)

  const both = await Promise.all([
    all.call('PATCH', all.anna, { parts: [{ gives: 'viewer', tag: 'shop' }] }),
    all.call('PATCH', '/api/servers/2', { tags: ['shop'] }),
  ])

  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(await all.rules()).toEqual([['anna@example.com cannot read@server:web-2', true, null]])
})
