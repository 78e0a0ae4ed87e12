import { expect, test } from 'bun:test'
import { clockOf } from '#agent/programs/keeper/run.ts'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 23, 12)

/** The problems of runs at these days, each with the state of the one before. */
function problemsOf(days: readonly number[], all_days = 7): (string | undefined)[] {
  let state = {}
  return days.map((day) => {
    const { problem, ...kept } = clockOf(state, NOW + day * DAY, all_days)
    state = kept
    return problem
  })
}

test('a clock without a jump is believed, also after weeks without a run', () => {
  expect(problemsOf([0, 1, 1.97, 46.9])).toEqual([undefined, undefined, undefined, undefined])
})

test.each([
  [
    'a year ahead',
    365,
    'The clock is 365 days after the last run: nothing is deleted until it is corrected, or until 2027-11-30 if it is right',
  ],
  [
    'a year behind',
    -365,
    'The clock is behind that of the last run: nothing is deleted until it is corrected, or until 2025-11-30 if it is right',
  ],
])(
  'a clock %s is not believed for a week of runs, and forgotten once it is back',
  (_, jump, problem) => {
    const runs = [0, jump, jump + 1, jump + 6.9]

    const doubted = (days: readonly number[]) =>
      problemsOf(days).map((found) => found !== undefined)
    expect(problemsOf(runs)[1]).toBe(problem)
    expect(doubted([...runs, 7.9])).toEqual([false, true, true, true, false])
    expect(doubted([...runs, jump + 7, jump + 8])).toEqual([false, true, true, true, false, false])
  },
)

test('a clock that jumps to and fro is not believed', () => {
  const problems = problemsOf([0, 365, 800, 365, 368, 800, 366])
  expect(problems.map((problem) => problem !== undefined)).toEqual([
    ...[false, true, true, true, true, true, true],
  ])
})

test('nobody waits longer than two weeks', () => {
  expect(problemsOf([0, 100, 113.9, 114], 365).map((problem) => problem !== undefined)).toEqual([
    ...[false, true, true, false],
  ])
})
