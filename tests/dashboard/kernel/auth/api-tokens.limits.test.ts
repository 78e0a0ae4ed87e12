import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { findTokenCaller } from '#dashboard/kernel/auth/api-tokens.ts'
import { grantsWithin } from '#dashboard/kernel/auth/token-limits.ts'
import { api_tokens } from '#dashboard/kernel/db/auth-schema.ts'
import type { Grant, Part, PartGrant } from '#shared/kernel/rights.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { isAnswered } from '#tests/support/dashboard/kept.ts'

const HOUR_MS = 3600_000

const create = (dashboard: Dashboard, body: object, headers?: Record<string, string>) =>
  dashboard.call('POST', '/api/auth/tokens', { name: 'CI', password: PASSWORD, ...body }, headers)
const as = (plaintext: string) => ({ cookie: '', authorization: `Bearer ${plaintext}` })

describe('a token that is limited to addresses', () => {
  test('is used from these, and from others like an unknown token', async () => {
    await using dashboard = await makeDashboard()
    const addresses = ['203.0.113.7/24', '::ffff:198.51.100.1', ' 2001:DB8::/32 ', '203.0.113.0/24']
    const { status, body } = await create(dashboard, { addresses })
    const from = async (address: string) =>
      (await findTokenCaller(dashboard.deps, new Secret(body.plaintext), address))?.caller
        .token_name ?? null

    expect([status, body.token.addresses]).toEqual([
      201,
      ['203.0.113.0/24', '198.51.100.1', '2001:db8::/32'],
    ])
    const used: Record<string, string | null> = {}
    for (const address of [
      '203.0.113.255',
      '::ffff:203.0.113.1',
      '2001:db8:1::1',
      '203.0.114.1',
      '2001:db9::1',
      '',
    ])
      used[address] = await from(address)
    expect(used).toEqual({
      '203.0.113.255': 'CI',
      '::ffff:203.0.113.1': 'CI',
      '2001:db8:1::1': 'CI',
      '203.0.114.1': null,
      '2001:db9::1': null,
      '': null,
    })
    const answer = (plaintext: string) =>
      dashboard.call('GET', '/api/auth/me', undefined, as(plaintext))
    expect((await answer(body.plaintext)).status).toBe(401)
    expect(await answer(body.plaintext)).toEqual(await answer('hc_unknown'))
  })

  test('counts refused uses, and has one entry for them in an hour', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const { plaintext } = (await create(dashboard, { addresses: ['203.0.113.7'] })).body
    const use = (address: string) => findTokenCaller(dashboard.deps, new Secret(plaintext), address)
    const refused = async () => {
      const [row] = await dashboard.db.read.select().from(api_tokens)
      const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
      const entries = activities.filter(({ type }: { type: string }) => type.endsWith('_refused'))
      return [row?.refused, entries.map(({ address }: { address: string }) => address)]
    }

    for (let turn = 0; turn < 5; turn++) await use('198.51.100.1')
    const first = await refused()
    clock.move(60_000)
    await use('198.51.100.2')
    const minute = await refused()
    clock.move(HOUR_MS)
    await use('198.51.100.3')
    await use('203.0.113.7')

    expect([first, minute, await refused()]).toEqual([
      [1, ['198.51.100.1']],
      [6, ['198.51.100.1']],
      [7, ['198.51.100.3', '198.51.100.1']],
    ])
    const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
    expect(activities).toContainEqual(
      expect.objectContaining({
        type: 'auth.token_refused',
        status: 'failed',
        via: 'token',
        token: 'CI',
        actor: 'ann@control.example',
        address: '198.51.100.1',
      }),
    )
    const [shown] = (await dashboard.call('GET', '/api/auth/tokens')).body.tokens
    expect([shown.refused, shown.last_address]).toEqual([7, '203.0.113.7'])
  })

  test('has no cached answers, which would be sent to any address', async () => {
    await using dashboard = await makeDashboard()
    const free = (await create(dashboard, {})).body.plaintext
    const limited = (await create(dashboard, { addresses: ['203.0.113.7'] })).body.plaintext
    const until = async (plaintext: string) => {
      await findTokenCaller(dashboard.deps, new Secret(plaintext), '203.0.113.7')
      return (await findTokenCaller(dashboard.deps, new Secret(plaintext), '203.0.113.7'))?.until
    }

    expect([(await until(free)) ?? 0, await until(limited)]).toEqual([expect.any(Number), 0])
    expect((await until(free)) ?? 0).toBeGreaterThan(Date.now())
    const request = new Request('http://control.example/api/auth/me', { headers: as(limited) })
    expect(await isAnswered(dashboard.kept, request)).toBe(false)
  })

  test('ends when somebody else changes the addresses or the parts in the records', async () => {
    await using dashboard = await makeDashboard()
    const { plaintext } = (await create(dashboard, { addresses: ['203.0.113.7'] })).body
    const use = () => findTokenCaller(dashboard.deps, new Secret(plaintext), '203.0.113.7')
    const set = (values: object) =>
      dashboard.db.write((queries) =>
        queries.update(api_tokens).set(values).where(eq(api_tokens.id, 1)),
      )

    const before = (await use()) !== undefined
    await set({ only_for: '[{"tag":"x"}]' })
    const narrowed = await use()
    await set({ only_for: null, addresses: null })

    expect([before, narrowed, await use()]).toEqual([true, undefined, undefined])
  })

  test.each([
    [{ addresses: ['office'] }, 'addresses'],
    [{ addresses: ['203.0.113.7/33'] }, 'addresses'],
    [{ addresses: Array(21).fill('203.0.113.7') }, 'addresses'],
    [{ addresses: '203.0.113.7' }, 'addresses'],
    [{ only_for: [{}] }, 'only_for'],
    [{ only_for: [{ tag: 'a', site_id: 1 }] }, 'only_for'],
    [{ only_for: [{ site_id: 999 }] }, 'only_for'],
    [{ only_for: [{ server_id: 999 }] }, 'only_for'],
    [{ only_for: [{ tag: 'nobody' }] }, 'only_for'],
  ])('is not made with %j', async (body, field) => {
    await using dashboard = await makeDashboard()
    const answer = await create(dashboard, body)

    expect([answer.status, Object.keys(answer.body.fields)]).toEqual([422, [field]])
  })
})

describe('a token that is limited to parts of the fleet', () => {
  const part = (one: Partial<Part>): Part => ({ tag: null, server_id: null, site_id: null, ...one })
  const grant = (gives: PartGrant['gives'], one: Partial<Part>): PartGrant => ({
    gives,
    ...part(one),
  })
  /** Servers 1 to 3, of which 2 and 3 have tags; site 5 is on server 1, site 6 on server 2. */
  const places = {
    servers: new Map([
      [1, { name: 'one', tags: [] }],
      [2, { name: 'two', tags: ['a', 'b'] }],
      [3, { name: 'three', tags: ['a'] }],
    ]),
    sites: new Map([
      [5, { server_id: 1, domain: 'five.example' }],
      [6, { server_id: 2, domain: 'six.example' }],
    ]),
  }

  test.each<[Partial<Part>, Partial<Part>, Partial<Part>[]]>([
    [{ site_id: 6 }, { site_id: 6 }, [{ site_id: 6 }]],
    [{ site_id: 6 }, { site_id: 5 }, []],
    [{ site_id: 6 }, { server_id: 2 }, [{ site_id: 6 }]],
    [{ site_id: 6 }, { server_id: 1 }, []],
    [{ site_id: 6 }, { tag: 'b' }, [{ site_id: 6 }]],
    [{ site_id: 5 }, { tag: 'b' }, []],
    [{ site_id: 9 }, { site_id: 9 }, []],
    [{ server_id: 2 }, { server_id: 2 }, [{ server_id: 2 }]],
    [{ server_id: 2 }, { server_id: 3 }, []],
    [{ server_id: 3 }, { tag: 'a' }, [{ server_id: 3 }]],
    [{ server_id: 3 }, { tag: 'b' }, []],
    [{ tag: 'a' }, { tag: 'a' }, [{ tag: 'a' }]],
    [{ tag: 'a' }, { tag: 'b' }, [{ server_id: 2 }]],
    [{ tag: 'a' }, { tag: 'c' }, []],
  ])('has of %j within %j: %j', (held, limit, common) => {
    const within = (one: Partial<Part>, other: Partial<Part>) =>
      grantsWithin({ grants: [], parts: [grant('operator', one)] }, [part(other)], places)
    const expected = { grants: [], parts: common.map((one) => grant('operator', one)) }

    expect([within(held, limit), within(limit, held)]).toEqual([expected, expected])
  })

  test('has the grants of the whole fleet there, and never the accounts', () => {
    const grants: Grant[] = ['operator', 'secrets', 'owner']
    const limits = [part({ tag: 'a' }), part({ site_id: 5 })]
    const parts = [grant('operator', { site_id: 5 })]

    expect(grantsWithin({ grants, parts }, limits, places)).toEqual({
      grants: [],
      parts: (['operator', 'secrets', 'admin'] as const).flatMap((gives) => [
        grant(gives, { tag: 'a' }),
        grant(gives, { site_id: 5 }),
      ]),
    })
  })

  test('shows its limits, and loses what its account loses', async () => {
    await using dashboard = await makeDashboard()
    await dashboard.call('POST', '/api/servers', { hostname: 'web.example', name: 'web' })
    const operator = await dashboard.signInWith([], [grant('operator', { server_id: 1 })])
    const own = await create(dashboard, { scope: 'admin', only_for: [{ server_id: 1 }] }, operator)
    const headers = as(own.body.plaintext)
    const shown = async () => (await dashboard.call('GET', '/api/token', undefined, headers)).body
    const before = await shown()

    await dashboard.db.write((queries) =>
      queries.update(api_tokens).set({ last_used_at: null }).where(eq(api_tokens.id, 1)),
    )
    await dashboard.call('DELETE', '/api/servers/1')

    expect(before).toEqual({
      name: 'CI',
      scope: 'admin',
      role: null,
      rights: ['own.read', 'own'],
      parts: [
        {
          tag: null,
          server_id: 1,
          site_id: null,
          rights: ['own.read', 'own', 'client', 'read', 'restore', 'operate'],
        },
      ],
      addresses: null,
      only_for: [{ tag: null, server_id: 1, server: 'web', site_id: null, site: null }],
      expires_at: before.expires_at,
    })
    expect(await shown()).toEqual({
      ...before,
      parts: [],
      only_for: [{ tag: null, server_id: 1, server: null, site_id: null, site: null }],
    })
  })

  test('is not made for what its account cannot see, as for what does not exist', async () => {
    await using dashboard = await makeDashboard()
    await dashboard.call('POST', '/api/servers', { hostname: 'web.example', tags: ['shop'] })
    const nobody = await dashboard.signInWith([], [grant('viewer', { tag: 'other' })])
    const refusal = async (only_for: object[]) =>
      (await create(dashboard, { only_for }, nobody)).body.fields

    expect(await refusal([{ server_id: 1 }])).toEqual({
      only_for: ['Entry 1: Server 1 does not exist'],
    })
    expect(await refusal([{ tag: 'shop' }])).toEqual({
      only_for: ['Entry 1: No server has the tag shop'],
    })
  })
})

test.each([
  ['addresses', 'Must have an address; null: no limit'],
  ['only_for', 'Must have an entry; null: no limit'],
])('an empty list of %s is no token without a limit', async (field, rule) => {
  await using dashboard = await makeDashboard()

  const { status, body } = await create(dashboard, { [field]: [] })

  expect([status, body.fields]).toEqual([422, { [field]: [rule] }])
})
