import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  factsAfter,
  lineOf,
  type PolicyFacts,
  type PolicyRule,
  problemOf,
  refuseBroken,
} from '#dashboard/kernel/auth/policy.ts'
import { policyBroken } from '#shared/kernel/errors.ts'
import {
  type Grant,
  type HeldGrants,
  isOn,
  PART_GRANTS,
  type Part,
  type PartGrant,
  RIGHTS_ON_OBJECTS,
  rightsAt,
} from '#shared/kernel/rights.ts'
import { runs } from '#tests/support/runs.ts'

const NOWHERE: Part = { tag: null, server_id: null, site_id: null }
const on = (part: Partial<Part>, gives: PartGrant['gives']): PartGrant => ({
  ...NOWHERE,
  ...part,
  gives,
})

/** Two servers with the tag shop, one without; site 1 is on the first, and 3 moves from 3 to 1. */
const factsOf = (held: Partial<HeldGrants> & { is_in_use?: boolean }): PolicyFacts => ({
  rules: [],
  groups: new Map(),
  accounts: new Map([[2, { name: 'anna', is_in_use: true, grants: [], parts: [], ...held }]]),
  servers: new Map([
    [1, { name: 'web-1', tags: ['shop'] }],
    [2, { name: 'web-2', tags: ['shop', 'eu'] }],
    [3, { name: 'web-3', tags: [] }],
  ]),
  sites: new Map([
    [1, { domain: 'one.example', server_ids: [1] }],
    [3, { domain: 'three.example', server_ids: [3, 1] }],
  ]),
})

const ruleOf = (can: boolean, what: string, part: Partial<Part> = {}): PolicyRule => ({
  user_id: 2,
  can,
  what,
  ...NOWHERE,
  ...part,
})

interface Case {
  grants?: readonly Grant[]
  parts?: readonly PartGrant[]
  is_in_use?: boolean
  can: boolean
  what?: string
  part?: Partial<Part>
  problem: string | null
}

const OPERATOR = { grants: ['operator'] } as const

describe('a rule', () => {
  test.each<[string, Case]>([
    ['can in the whole fleet, with a role', { ...OPERATOR, can: true, problem: null }],
    [
      'can in the whole fleet, with all servers',
      {
        parts: [on({ tag: 'shop' }, 'operator'), on({ server_id: 3 }, 'operator')],
        can: true,
        problem: 'anna cannot do it in the whole fleet',
      },
    ],
    [
      'can, and nobody can use the account',
      {
        ...OPERATOR,
        is_in_use: false,
        can: true,
        problem: 'anna is not in use, and cannot do it in the whole fleet',
      },
    ],
    ['cannot, and nobody can use it', { ...OPERATOR, is_in_use: false, can: false, problem: null }],
    [
      'can on a tag, with each server',
      {
        parts: [on({ server_id: 1 }, 'operator'), on({ server_id: 2 }, 'admin')],
        can: true,
        part: { tag: 'shop' },
        problem: null,
      },
    ],
    [
      'can on a tag, with one of two servers and all sites of the other',
      {
        parts: [on({ server_id: 2 }, 'operator'), on({ site_id: 1 }, 'operator')],
        can: true,
        part: { tag: 'shop' },
        problem: 'anna cannot do it on the server web-1',
      },
    ],
    ['can on a tag that no server has', { can: true, part: { tag: 'none' }, problem: null }],
    [
      'can on a site that moves, with its former server only',
      {
        parts: [on({ server_id: 3 }, 'operator')],
        can: true,
        part: { site_id: 3 },
        problem: 'anna cannot do it on the site three.example',
      },
    ],
    ['cannot anywhere, with nothing', { can: false, problem: null }],
    [
      'cannot anywhere, with a role',
      { ...OPERATOR, can: false, problem: 'anna can do it in the whole fleet' },
    ],
    [
      'cannot anywhere, with a tag that no server has, a server and a site',
      {
        parts: [
          on({ tag: 'none' }, 'operator'),
          on({ server_id: 2 }, 'admin'),
          on({ site_id: 1 }, 'operator'),
          on({ tag: 'eu' }, 'viewer'),
        ],
        can: false,
        problem: 'anna can do it on the tag none, the server web-2, the site one.example',
      },
    ],
    [
      'cannot on a tag, with a single site on a server with it',
      {
        parts: [on({ site_id: 1 }, 'operator')],
        can: false,
        part: { tag: 'shop' },
        problem: 'anna can do it on the site one.example',
      },
    ],
    [
      'cannot on a tag, with another tag of a server with it',
      {
        parts: [on({ tag: 'eu' }, 'operator')],
        can: false,
        part: { tag: 'shop' },
        problem: 'anna can do it on the server web-2',
      },
    ],
    [
      'cannot on a server, with a site that moves to it',
      {
        parts: [on({ site_id: 3 }, 'operator')],
        can: false,
        part: { server_id: 1 },
        problem: 'anna can do it on the site three.example',
      },
    ],
    [
      'cannot restart services of a tag, with a single site there',
      {
        parts: [on({ site_id: 1 }, 'operator')],
        can: false,
        what: 'service.restart',
        part: { tag: 'shop' },
        problem: null,
      },
    ],
    [
      'cannot restore, with the grant of a client',
      {
        parts: [on({ site_id: 1 }, 'restore')],
        can: false,
        what: 'backup.restore',
        problem: 'anna can do it on the site one.example',
      },
    ],
    [
      'about a type of operation that does not exist any more',
      {
        ...OPERATOR,
        can: true,
        what: 'site.paint',
        problem: 'site.paint is no type of operation and no right of this version',
      },
    ],
  ])('%s', (_, { can, what = 'operate', part, problem, ...held }) => {
    expect(problemOf(factsOf(held), ruleOf(can, what, part))).toBe(problem)
  })
})

/** Servers 1 to 3 with tags, and which server each of the sites 1 to 4 is on. */
const fleets = fc.record({
  tags: fc.tuple(...[1, 2, 3].map(() => fc.subarray(['a', 'b']))),
  homes: fc.tuple(...[1, 2, 3, 4].map(() => fc.integer({ min: 1, max: 3 }))),
})
const parts = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map((tag) => ({ ...NOWHERE, tag })),
  fc.integer({ min: 1, max: 3 }).map((server_id) => ({ ...NOWHERE, server_id })),
  fc.integer({ min: 1, max: 4 }).map((site_id) => ({ ...NOWHERE, site_id })),
)
const given = fc.record({
  grants: fc.subarray<Grant>(['viewer', 'operator', 'secrets'], { maxLength: 1 }),
  parts: fc.array(
    fc.tuple(parts, fc.constantFrom(...PART_GRANTS)).map(([part, gives]) => ({ ...part, gives })),
    { maxLength: 4 },
  ),
})

test('a rule about a part of the fleet holds exactly if each place in it says so', () => {
  const about = fc.record({ part: parts, what: fc.constantFrom(...RIGHTS_ON_OBJECTS) })
  fc.assert(
    fc.property(fleets, given, about, fc.boolean(), (fleet, held, { part, what }, can) => {
      const servers = fleet.tags.map((tags, at) => ({ id: at + 1, tags }))
      const places = servers.flatMap(({ id, tags }) => [
        { server_id: id, site_id: null, tags },
        ...fleet.homes.flatMap((home, at) =>
          home === id ? [{ server_id: id, site_id: at + 1, tags }] : [],
        ),
      ])
      const facts: PolicyFacts = {
        rules: [],
        groups: new Map(),
        accounts: new Map([[2, { name: 'anna', is_in_use: true, ...held }]]),
        servers: new Map(servers.map(({ id, tags }) => [id, { name: `${id}`, tags }])),
        sites: new Map(
          fleet.homes.map((home, at) => [at + 1, { domain: `${at}`, server_ids: [home] }]),
        ),
      }

      const holds = places
        .filter((place) => isOn(part, place))
        .every((place) => rightsAt(held, place).includes(what) === can)

      expect(problemOf(facts, { user_id: 2, can, what, ...part }) === null).toBe(holds)
    }),
    runs(),
  )
})

test('a change is refused for each rule that holds before and not after it, and for no other', () => {
  const rules = [
    ruleOf(true, 'operate', { tag: 'shop' }),
    ruleOf(true, 'read', { server_id: 1 }),
    ruleOf(false, 'secrets'),
    ruleOf(true, 'admin'),
    ruleOf(true, 'operate'),
  ].map((rule, at) => ({ ...rule, id: at + 1, created_at: '', is_trusted: at !== 4 }))
  const facts = { ...factsOf(OPERATOR), rules }
  const change = { accounts: [{ user_id: 2, grants: ['viewer', 'secrets'] as const }] }
  const broken = [
    {
      id: 1,
      rule: 'anna can operate@tag:shop',
      problem: 'anna cannot do it on the server web-1, the server web-2',
    },
    { id: 3, rule: 'anna cannot secrets@*', problem: 'anna can do it in the whole fleet' },
  ]

  expect(() => refuseBroken(facts, change)).toThrow(
    policyBroken(
      '2 rules of the access policy would not hold any more. "anna can operate@tag:shop": anna cannot do it on the server web-1, the server web-2; "anna cannot secrets@*": anna can do it in the whole fleet. An owner can delete the rules on the page People first',
      broken,
    ),
  )
  expect(() => refuseBroken(facts, { accounts: [{ user_id: 3, grants: [] }] })).not.toThrow()
  expect(() => refuseBroken(facts, {})).not.toThrow()
})

test('tags, a new server and a move change what a rule is about', () => {
  const held = { parts: [on({ server_id: 1 }, 'operator'), on({ server_id: 2 }, 'operator')] }
  const facts = factsOf(held)
  const tagged = ruleOf(true, 'operate', { tag: 'shop' })
  const problemAfter = (change: Parameters<typeof factsAfter>[1], rule: PolicyRule) =>
    problemOf(factsAfter(facts, change), rule)

  expect([
    problemOf(facts, tagged),
    problemAfter({ server: { server_id: 3, name: 'web-3', tags: ['shop'] } }, tagged),
    problemAfter({ server: { server_id: 0, name: 'new', tags: ['shop'] } }, tagged),
    problemAfter({ server: { server_id: 2, name: 'web-2', tags: [] } }, tagged),
    problemAfter({ site: { site_id: 1, server_id: 3 } }, ruleOf(true, 'operate', { site_id: 1 })),
  ]).toEqual([
    null,
    'anna cannot do it on the server web-3',
    'anna cannot do it on the server new',
    null,
    'anna cannot do it on the site one.example',
  ])
})

test('the grants of a group are those of its members', () => {
  const facts = factsOf({})
  const [can, cannot] = [true, false].map((can) => ruleOf(can, 'operate', { tag: 'eu' }))
  const group = { group_id: 5, members: [2], parts: [on({ server_id: 2 }, 'operator')] }
  const member = factsAfter(facts, { group })
  const ended = factsAfter(member, { group: { group_id: 5, members: [3] } })
  const changed = factsAfter(member, { group: { group_id: 5, parts: [], grants: ['viewer'] } })
  const away = factsAfter(member, { accounts: [{ user_id: 2, is_in_use: false }] })
  const problems = (after: PolicyFacts) =>
    [can, cannot].map((rule) => rule && problemOf(after, rule) === null)

  expect([facts, member, ended, changed, away].map(problems)).toEqual([
    [false, true],
    [true, false],
    [false, true],
    [false, true],
    [false, true],
  ])
})

test('a rule is written with names, and with an id where several servers have the name', () => {
  const facts = factsOf({})
  const twice = factsAfter(facts, { server: { server_id: 9, name: 'web-1', tags: [] } })
  const lines = [{}, { tag: 'shop' }, { server_id: 1 }, { site_id: 1 }].map((part) =>
    lineOf(facts, ruleOf(true, 'read', part)),
  )

  expect([...lines, lineOf(twice, ruleOf(false, 'read', { server_id: 1 }))]).toEqual([
    'anna can read@*',
    'anna can read@tag:shop',
    'anna can read@server:web-1',
    'anna can read@site:one.example',
    'anna cannot read@server:#1',
  ])
})
