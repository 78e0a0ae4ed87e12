import { expect, test } from 'bun:test'
import { inTurn, sampled, turnsOf } from '#scripts/test/choices.ts'

const STORAGES = ['local', 'rest', 'sftp', 's3']
const SUBJECTS = ['access', 'domains', 'logs', 'mail', 'numbers', 'owner', 'scan', 'shell']
const POINTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

const gate = (turn: number) => ({ isGate: true, turn })

test('reads the tier and the turn of the environment', () => {
  expect([
    turnsOf({ HOSTING_TIER: 'gate', HOSTING_TURN: '7' }),
    turnsOf({ HOSTING_TIER: 'gate' }),
    turnsOf({ HOSTING_TIER: 'full', HOSTING_TURN: '7' }),
    turnsOf({ HOSTING_TIER: 'long', HOSTING_TURN: '7' }),
    turnsOf({}),
  ]).toEqual([
    { isGate: true, turn: 7 },
    { isGate: true, turn: 0 },
    { isGate: false, turn: 7 },
    { isGate: false, turn: 7 },
    { isGate: false, turn: 0 },
  ])
})

test.each(['-1', '1.5', 'x', '1e99'])('refuses the turn %s', (turn) => {
  expect(() => turnsOf({ HOSTING_TURN: turn })).toThrow(
    `HOSTING_TURN must be a whole number from 0: ${turn}`,
  )
})

test('runs all choices outside of the gate', () => {
  expect(inTurn({ isGate: false, turn: 3 }, STORAGES, 'faults')).toEqual(STORAGES)
})

test('runs one choice in the gate, and all of them in as many turns', () => {
  const chosen = STORAGES.map((_, turn) => inTurn(gate(2_000_000_000 + turn), STORAGES, 'faults'))

  expect(chosen.map(({ length }) => length)).toEqual([1, 1, 1, 1])
  expect(chosen.flat().sort()).toEqual(STORAGES.toSorted())
})

test('does not run all subjects on the same release in one turn', () => {
  const releases = SUBJECTS.flatMap((name) => inTurn(gate(5), ['bookworm', 'trixie'], name))

  expect(new Set(releases)).toEqual(new Set(['bookworm', 'trixie']))
})

test('runs all points of a sweep outside of the gate', () => {
  expect(sampled({ isGate: false, turn: 3 }, POINTS)).toEqual(POINTS)
})

test('runs 4 of 10 points in the gate, evenly spread, and all of them in three turns', () => {
  const chosen = [0, 1, 2].map((turn) => sampled(gate(turn), POINTS))

  expect(chosen).toEqual([
    [0, 2, 5, 7],
    [1, 3, 6, 8],
    [2, 4, 7, 9],
  ])
  expect([...new Set(chosen.flat())].sort()).toEqual(POINTS)
})

test('runs at least one point in the gate, and none of none', () => {
  expect([sampled(gate(7), ['a']), sampled(gate(7), ['a', 'b']), sampled(gate(7), [])]).toEqual([
    ['a'],
    ['b'],
    [],
  ])
})
