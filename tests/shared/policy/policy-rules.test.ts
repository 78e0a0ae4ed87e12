import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { OPERATION_NAMES, OPERATION_TYPES } from '#shared/operation-types.ts'
import {
  parseRuleLine,
  RULE_SUBJECTS,
  type RuleLine,
  renderRule,
  ruleSubjectOf,
} from '#shared/policy/policy-rules.ts'
import { runs } from '#tests/support/runs.ts'

const FORM =
  'Must have the form account can|cannot what@where, such as anna@example.com can site.update@tag:shop'

test('a line is an account, a verb, what and where', () => {
  expect([
    parseRuleLine('anna@example.com can site.update@tag:shop'),
    parseRuleLine('deploy robot cannot site.delete@*'),
    parseRuleLine('anna@example.com cannot secrets@server:web 1'),
    parseRuleLine('we can deploy can read@site:shop.example'),
  ]).toEqual([
    {
      account: 'anna@example.com',
      can: true,
      what: 'site.update',
      where: { kind: 'tag', name: 'shop' },
    },
    { account: 'deploy robot', can: false, what: 'site.delete', where: { kind: 'fleet' } },
    {
      account: 'anna@example.com',
      can: false,
      what: 'secrets',
      where: { kind: 'server', name: 'web 1' },
    },
    {
      account: 'we can deploy',
      can: true,
      what: 'read',
      where: { kind: 'site', name: 'shop.example' },
    },
  ])
})

test.each([
  ['anna@example.com', `Rule: ${FORM}`],
  ['anna@example.com can read', `Rule: ${FORM}`],
  ['can read@*', `Rule: ${FORM}`],
  ['anna@example.com can  read@*', `Rule: ${FORM}`],
  ['anna@example.com can read @*', `Rule: ${FORM}`],
  ['anna@example.com may read@*', 'Verb: Must be can or cannot, not may'],
  ['anna@example.com CAN read@*', 'Verb: Must be can or cannot, not CAN'],
  [
    'anna@example.com can site.restart@*',
    'What: site.restart is neither a type of operation nor one of client, read, restore, operate, login, secrets, admin, accounts',
  ],
  [
    'anna@example.com can own@*',
    'What: own is neither a type of operation nor one of client, read, restore, operate, login, secrets, admin, accounts',
  ],
  ['anna@example.com can read@shop', 'Where: Must be *, tag:…, server:… or site:…, not shop'],
  ['anna@example.com can read@tag:', 'Where: Must be *, tag:…, server:… or site:…, not tag:'],
  [
    'anna@example.com can read@tag: shop',
    'Where: Must be *, tag:…, server:… or site:…, not tag: shop',
  ],
  ['anna@example.com can read@**', 'Where: Must be *, tag:…, server:… or site:…, not **'],
])('the line %s is refused', (line, reason) => {
  expect(() => parseRuleLine(line)).toThrow(`${reason}, in "${line}"`)
})

test('what is written as a line is read as the same rule', () => {
  const name = fc.stringMatching(/^[\w.#:@-]{1,20}$/)
  const where = fc.oneof(
    fc.constant({ kind: 'fleet' as const }),
    fc.record({ kind: fc.constantFrom('tag' as const, 'server' as const, 'site' as const), name }),
  )
  const line = fc.record({
    account: name,
    can: fc.boolean(),
    what: fc.constantFrom(...RULE_SUBJECTS),
    where,
  })
  fc.assert(
    fc.property(line, (rule: RuleLine) => {
      expect(parseRuleLine(renderRule(rule))).toEqual(rule)
    }),
    runs(),
  )
})

test('a type of operation stands for each right with which it can be started', () => {
  expect(OPERATION_NAMES.map((type) => [type, ruleSubjectOf(type)?.rights[0]] as const)).toEqual(
    OPERATION_NAMES.map((type) => [type, OPERATION_TYPES[type].right] as const),
  )
  expect([
    ruleSubjectOf('backup.restore'),
    ruleSubjectOf('wp.login'),
    ruleSubjectOf('service.restart'),
    ruleSubjectOf('accounts'),
    ruleSubjectOf('own'),
  ]).toEqual([
    { rights: ['operate', 'restore'], target: 'site' },
    { rights: ['secrets', 'login'], target: 'site' },
    { rights: ['operate'], target: 'server' },
    { rights: ['accounts'], target: 'any' },
    undefined,
  ])
})
