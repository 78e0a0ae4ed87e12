import { expect, test } from 'bun:test'
import { inTurn, numbersOf, partOf, pointsOf, sampled, turnsOf } from '#tests/support/choices.ts'

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

test('runs 2 of 10 points in the gate, evenly spread, and all of them in five turns', () => {
  const chosen = [0, 1, 2, 3, 4].map((turn) => sampled(gate(turn), POINTS))

  expect(chosen).toEqual([
    [0, 5],
    [1, 6],
    [2, 7],
    [3, 8],
    [4, 9],
  ])
})

test('runs at least one point in the gate, and none of none', () => {
  expect([sampled(gate(7), ['a']), sampled(gate(7), ['a', 'b']), sampled(gate(7), [])]).toEqual([
    ['a'],
    ['b'],
    [],
  ])
})

const TURNS = [20, 21, 22, 23, 24]

test('repeats everything outside of the gate, a fifth in the gate, and the first tenth when quick', () => {
  expect([
    partOf({ isGate: false, turn: 3 }, false),
    ...TURNS.map((turn) => partOf(gate(turn), false)),
    partOf(gate(23), true),
    partOf({ isGate: false, turn: 3 }, true),
  ]).toEqual([
    { at: 0, of: 1 },
    ...[0, 1, 2, 3, 4].map((at) => ({ at, of: 5 })),
    { at: 0, of: 10 },
    { at: 0, of: 10 },
  ])
})

test('runs numbers of runs in turns, and all of them in five turns', () => {
  const numbers = (usual: number) =>
    TURNS.map((turn) => numbersOf(partOf(gate(turn), false), usual))

  expect(numbers(10)).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8],
    [9, 10],
  ])
  expect([...new Set(numbers(7).flat())]).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(numbersOf({ at: 0, of: 10 }, 30)).toEqual([1, 2, 3])
  expect(numbersOf({ at: 0, of: 1 }, 3)).toEqual([1, 2, 3])
})

test('runs points of an open sweep in turns, and all of them in five turns', () => {
  const first = (points: Generator<number>) => points.take(3).toArray()

  expect(TURNS.map((turn) => first(pointsOf(partOf(gate(turn), false), 2)))).toEqual([
    [1, 11, 21],
    [3, 13, 23],
    [5, 15, 25],
    [7, 17, 27],
    [9, 19, 29],
  ])
  expect(first(pointsOf({ at: 0, of: 10 }, 1))).toEqual([1, 11, 21])
  expect(first(pointsOf({ at: 0, of: 1 }, 13))).toEqual([1, 14, 27])
})
