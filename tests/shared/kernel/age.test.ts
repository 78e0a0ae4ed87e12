import { expect, test } from 'bun:test'
import { ageOf, hasReached, isDue, isInFuture } from '#shared/kernel/age.ts'

const HOUR_MS = 3600_000
const now = new Date('2026-11-29T12:00:00.000Z')
const at = (plus_ms: number) => new Date(now.getTime() + plus_ms).toISOString()

test.each([
  ['a day ago', at(-24 * HOUR_MS), 24 * HOUR_MS],
  ['now', at(0), 0],
  ['of a clock that is a few minutes ahead', at(5 * 60_000), 0],
  ['of a clock that was wrong', at(HOUR_MS + 1), undefined],
  ['no time', 'yesterday', undefined],
])('the age of what is %s', (_, time, age) => {
  expect(ageOf(time, now)).toBe(age as number)
  expect(isInFuture(time, now)).toBe(age === undefined && !Number.isNaN(Date.parse(time)))
})

test('what is repeated is due at its interval, if it was never done, and if its time is not known', () => {
  const due = (last: string | null) => isDue(last, HOUR_MS, now)

  expect([due(at(-HOUR_MS)), due(null), due(at(2 * HOUR_MS)), due('?')]).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect([due(at(-HOUR_MS + 1)), due(at(0)), due(at(60_000))]).toEqual([false, false, false])
})

test('what is deleted by its age stays while its age is not known', () => {
  const old = (time: string) => hasReached(time, HOUR_MS, now)

  expect([old(at(-HOUR_MS)), old(at(-HOUR_MS + 1)), old(at(2 * HOUR_MS)), old('?')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})
