// tier: gate
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import {
  group_grants,
  group_members,
  groups,
  part_grants,
} from '#dashboard/kernel/db/auth-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { Meeting, startAccounts } from '#tests/support/dashboard/accounts.ts'
import { addGroup } from '#tests/support/dashboard/groups.ts'

const AT = '2026-01-01T00:00:00.000Z'
const PLACES = { tag: null, server_id: null, site_id: null }
const ON_SHOP = { ...PLACES, gives: 'operator' as const, tag: 'shop' }
const ON_SITE = { ...PLACES, gives: 'admin' as const, site_id: 1 }
const TEAM = '/api/groups/1'
const OTHERS = '/api/groups/2'

/**
 * Two servers, of which the first has the tag shop and the second a site, and Anna without own
 * grants. She is in the group Team, which gives the tag, and not in Others, which gives the site.
 */
async function start(options: Parameters<typeof startAccounts>[0] = {}) {
  const accounts = await startAccounts(options)
  const { call, dashboard } = accounts
  const { db } = dashboard
  await call('POST', '/api/servers', { name: 'web-1', hostname: 'one.example', tags: ['shop'] })
  await call('POST', '/api/servers', { name: 'web-2', hostname: 'two.example' })
  await addSite(db)
  const { person_id } = await accounts.colleague('Anna', { email: 'anna@example.com' })
  const anna = `/api/people/${person_id}/account`
  await call('PATCH', anna, { role: null, parts: [] })
  await addGroup(accounts, { name: 'Team', parts: [ON_SHOP], members: [2] })
  await addGroup(accounts, { name: 'Others', parts: [ON_SITE] })
  return {
    [Symbol.asyncDispose]: () => accounts[Symbol.asyncDispose](),
    call,
    anna,
    db,
    async add(rule: string) {
      const { status, body } = await call('POST', '/api/policy/rules', { rule })
      if (status !== 201) throw new Error(JSON.stringify(body))
    },
    async rules(): Promise<[rule: string, problem: string | null][]> {
      const { body } = await call('GET', '/api/policy/rules')
      return body.rules.map(({ rule, problem }: never) => [rule, problem])
    },
    state: async () => [
      await db.read.select().from(groups),
      await db.read.select().from(group_members),
      await db.read.select().from(group_grants),
      await db.read.select().from(part_grants),
      await db.read.select({ tags: servers.tags }).from(servers),
    ],
  }
}

const addSite = (db: Database) =>
  db.write((queries) =>
    queries.insert(sites).values({
      server_id: 2,
      domain: 'two.example',
      apex: 'two.example',
      user: 'two',
      php: '8.4',
      tier: 'small',
      tls: 'none',
      managed: true,
      status: 'active',
      created_at: AT,
    }),
  )

const UPDATES = 'anna@example.com can site.update@tag:shop'
const NOT_THERE = 'anna@example.com cannot read@server:web-2'
const MISSING = 'anna@example.com cannot do it on the server web-1'
const ON_TWO = 'anna@example.com can do it on the site two.example'

describe('a change of a group after which a rule would not hold is refused, and the same without the rule is made:', () => {
  type World = Awaited<ReturnType<typeof start>>
  test.each<[string, string, string, (all: World) => ReturnType<World['call']>]>([
    ['a member leaves', UPDATES, MISSING, ({ call }) => call('PATCH', TEAM, { members: [1] })],
    ['less grants', UPDATES, MISSING, ({ call }) => call('PATCH', TEAM, { parts: [] })],
    ['the removal', UPDATES, MISSING, ({ call }) => call('DELETE', TEAM)],
    ['a member joins', NOT_THERE, ON_TWO, ({ call }) => call('PATCH', OTHERS, { members: [1, 2] })],
    [
      'a grant on a site',
      NOT_THERE,
      ON_TWO,
      ({ call }) => call('PATCH', TEAM, { parts: [{ gives: 'viewer', site_id: 1 }] }),
    ],
    [
      'a role',
      'anna@example.com cannot admin@*',
      'anna@example.com can do it in the whole fleet',
      ({ call }) => call('PATCH', TEAM, { role: 'admin' }),
    ],
    [
      'a new group',
      NOT_THERE,
      ON_TWO,
      ({ call }) =>
        call('POST', '/api/groups', {
          name: 'New',
          parts: [{ gives: 'viewer', site_id: 1 }],
          members: [2],
        }),
    ],
    [
      'the tag of its grant for another server',
      NOT_THERE,
      'anna@example.com can do it on the server web-2',
      ({ call }) => call('PATCH', '/api/servers/2', { tags: ['shop'] }),
    ],
  ])('%s', async (_, rule, problem, change) => {
    await using all = await start()
    await all.add(rule)
    const before = await all.state()

    const refused = await change(all)

    expect([refused.status, refused.body.code, refused.body.broken_rules]).toEqual([
      409,
      'policy_broken',
      [{ id: 1, rule, problem }],
    ])
    expect(refused.body.message).toContain(`"${rule}": ${problem}`)
    expect(await all.state()).toEqual(before)
    await all.call('DELETE', '/api/policy/rules/1')
    expect((await change(all)).status).toBeLessThan(300)
  })
})

test('a change after which the account can do the same by something else is made', async () => {
  await using all = await start()
  await all.add(UPDATES)
  await all.add(NOT_THERE)
  const own = { parts: [{ gives: 'operator', tag: 'shop' }] }

  const answers = [
    await all.call('PATCH', TEAM, { name: 'Shop team', members: [1, 2] }),
    await all.call('PATCH', TEAM, { parts: [{ gives: 'admin', tag: 'shop' }] }),
    await all.call('PATCH', all.anna, own),
    await all.call('PATCH', all.anna, { parts: [] }),
    await all.call('PATCH', all.anna, own),
    await all.call('DELETE', TEAM),
    await all.call('PATCH', OTHERS, { members: [1] }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 204, 200])
  expect(await all.rules()).toEqual([
    [UPDATES, null],
    [NOT_THERE, null],
  ])
})

test('a group that gives a deactivated account what it must not do stops the activation', async () => {
  await using all = await start()
  await all.add(NOT_THERE)
  await all.call('POST', `${all.anna}/deactivate`)

  const joined = await all.call('PATCH', OTHERS, { members: [2] })
  const { status, body } = await all.call('POST', `${all.anna}/activate`)

  expect([joined.status, status]).toEqual([200, 409])
  expect(body.broken_rules).toEqual([{ id: 1, rule: NOT_THERE, problem: ON_TWO }])
})

describe('no rule counts what another program wrote to the database:', () => {
  test.each(['group', 'member', 'grant'])('a %s', async (what) => {
    await using all = await start()
    await all.add(UPDATES)
    const forged = { mark: 'forged' }

    await all.db.write((queries) => {
      if (what === 'group') return queries.update(groups).set(forged).where(eq(groups.id, 1))
      return queries.update(what === 'member' ? group_members : group_grants).set(forged)
    })

    expect(await all.rules()).toEqual([[UPDATES, MISSING]])
  })
})

test('of two groups that give the same, one stays when both are removed at the same time', async () => {
  const meeting = new Meeting()
  await using all = await start({ open: meeting.open })
  await all.call('PATCH', OTHERS, { parts: [{ gives: 'admin', tag: 'shop' }], members: [2] })
  await all.add(UPDATES)
  meeting.gather(2)

  const both = await Promise.all([all.call('DELETE', TEAM), all.call('DELETE', OTHERS)])

  expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409])
  expect(await all.rules()).toEqual([[UPDATES, null]])
})
