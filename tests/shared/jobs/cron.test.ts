import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { calendarOf, nextRuns, parseSchedule } from '#shared/jobs/cron.ts'
import { scheduleProblem } from '#shared/jobs/site-jobs.ts'
import { forAll } from '#tests/support/for-all.ts'

const AT = Date.UTC(2026, 10, 23, 10, 45, 30)
const after = (schedule: string, count = 3, at = AT) =>
  nextRuns(parseSchedule(schedule), at, count).map((run) =>
    new Date(run).toISOString().slice(0, 16),
  )

describe('the next runs of a schedule', () => {
  test.each([
    ['* * * * *', ['2026-11-23T10:46', '2026-11-23T10:47', '2026-11-23T10:48']],
    ['*/20 * * * *', ['2026-11-23T11:00', '2026-11-23T11:20', '2026-11-23T11:40']],
    ['45 10 * * *', ['2026-11-24T10:45', '2026-11-25T10:45', '2026-11-26T10:45']],
    ['0 3 * * 1-5', ['2026-11-24T03:00', '2026-11-25T03:00', '2026-11-26T03:00']],
    ['0 3 * * SUN,7', ['2026-11-29T03:00', '2026-12-06T03:00', '2026-12-13T03:00']],
    ['30 2 1,15 jan-mar *', ['2027-01-01T02:30', '2027-01-15T02:30', '2027-02-01T02:30']],
    ['@weekly', ['2026-11-29T00:00', '2026-12-06T00:00', '2026-12-13T00:00']],
    ['@monthly', ['2026-12-01T00:00', '2027-01-01T00:00', '2027-02-01T00:00']],
  ])('of %s are in UTC', (schedule, expected) => {
    expect(after(schedule)).toEqual(expected)
  })

  test('are on either day where both fields name days, and on both otherwise', () => {
    expect(after('0 0 1 * 1')).toEqual(['2026-11-30T00:00', '2026-12-01T00:00', '2026-12-07T00:00'])
    expect(after('0 0 */2 * 1')).toEqual([
      '2026-12-07T00:00',
      '2026-12-21T00:00',
      '2027-01-11T00:00',
    ])
  })

  test('include a leap day that is eight years away', () => {
    expect(after('0 0 29 2 *', 2, Date.UTC(2096, 2, 1))).toEqual(['2104-02-29T00:00'])
  })
})

test.each([
  ['* * * * *', ['*-*-* *:*:00 UTC']],
  ['*/20 5 * * *', ['*-*-* 05:00,20,40:00 UTC']],
  ['0 3 * * 0,6', ['Sun,Sat *-*-* 03:00:00 UTC']],
  ['0 3 1 jan 1', ['*-01-01 03:00:00 UTC', 'Mon *-01-* 03:00:00 UTC']],
])('%s is for systemd %p', (schedule, lines) => {
  expect(calendarOf(parseSchedule(schedule))).toEqual(lines)
})

test.each([
  ['* * * *', 'Must have five fields, or be one of @hourly, @daily, @weekly, @monthly, @yearly'],
  ['60 * * * *', 'The minute must be between 0 and 59, as a value, list, range or step: not 60'],
  ['* 5-3 * * *', 'The hour must be between 0 and 23, as a value, list, range or step: not 5-3'],
  ['* * 30 2 *', 'Must name a date that exists'],
])('%s is refused with the rule', (schedule, message) => {
  expect(scheduleProblem(schedule)).toBe(message)
})

test('any text is a schedule or refused with a sentence, and any schedule has lines for systemd', () => {
  const letters = fc.constantFrom(...'0123456789*/-, @ajnFmdon\n;%$')
  forAll(fc.string({ unit: letters, maxLength: 20 }), (text) => {
    if (scheduleProblem(text) !== undefined) return
    for (const line of calendarOf(parseSchedule(text)))
      expect(line).toMatch(
        /^(?:[A-Za-z,]{3,} )?\*-(?:\*|[\d,]+)-(?:\*|[\d,]+) (?:\*|[\d,]+):(?:\*|[\d,]+):00 UTC$/,
      )
  })
})
