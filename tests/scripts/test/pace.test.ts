import { expect, test } from 'bun:test'
import { paceOf } from '#scripts/test/pace.ts'

const ended = (part: string, seconds: number, ms: number) => ({ job: { part, seconds }, ms })

test('a part has the pace of its jobs that have ended', () => {
  const outcomes = [
    ended('browser', 20, 50_000),
    ended('system', 100, 90_000),
    ended('browser', 40, 100_000),
  ]

  expect(paceOf(outcomes, 'browser')).toBe(2.5)
})

test('a part whose jobs were faster than recorded, or have not ended, has the recorded pace', () => {
  const outcomes = [ended('system', 100, 90_000), ended('build', 0, 8000)]

  expect(['system', 'build', 'browser'].map((part) => paceOf(outcomes, part))).toEqual([1, 1, 1])
})
