import { describe, expect, test } from 'bun:test'
import { nextBackup, type Schedule } from '#dashboard/features/backups/schedule.ts'

const DAY_MS = 24 * 3600_000
const NIGHT = { from: '01:00', to: '05:00' }
/** The first site of the golden ratio: 0.618 of the window, at 03:28. */
const first: Schedule = {
  ...{ id: 1, every: 'daily', window: NIGHT, failed_at: null },
  since: '2026-01-01T03:30:00.000Z',
}
const next = (now: string, more: Partial<Schedule> = {}) =>
  nextBackup({ ...first, ...more }, new Date(now)).toISOString()

describe('the next backup of a site', () => {
  test.each<[string, string, Partial<Schedule>, string]>([
    [
      'is at its moment of the next day',
      '2026-01-01T12:00:00.000Z',
      {},
      '2026-01-02T03:28:00.000Z',
    ],
    [
      'is at its moment of the same day after an earlier one',
      '2026-01-01T02:00:00.000Z',
      { since: '2026-01-01T01:30:00.000Z' },
      '2026-01-01T03:28:00.000Z',
    ],
    ['is due while its window is open', '2026-01-02T04:59:00.000Z', {}, '2026-01-02T04:59:00.000Z'],
    [
      'waits for the next window when that has closed',
      '2026-01-02T05:00:00.000Z',
      {},
      '2026-01-02T15:30:00.000Z',
    ],
    [
      'is due outside the window when it is later than its interval and 12 hours',
      '2026-01-02T15:30:00.000Z',
      {},
      '2026-01-02T15:30:00.000Z',
    ],
    [
      'is due while its window is open after one of the future, by a clock that was wrong',
      '2026-01-01T03:40:00.000Z',
      { since: '2026-02-01T03:30:00.000Z', failed_at: '2026-02-01T03:30:00.000Z' },
      '2026-01-01T03:40:00.000Z',
    ],
    [
      'is retried an hour after a failure',
      '2026-01-02T03:40:00.000Z',
      { failed_at: '2026-01-02T03:35:00.000Z' },
      '2026-01-02T04:35:00.000Z',
    ],
    [
      'is retried outside the window when it is late enough',
      '2026-01-02T16:10:00.000Z',
      { failed_at: '2026-01-02T16:00:00.000Z' },
      '2026-01-02T17:00:00.000Z',
    ],
    [
      'is not retried outside the window before',
      '2026-01-02T04:50:00.000Z',
      { failed_at: '2026-01-02T04:45:00.000Z' },
      '2026-01-02T15:30:00.000Z',
    ],
    [
      'is on its day of the week',
      '2026-01-01T12:00:00.000Z',
      { every: 'weekly' },
      '2026-01-02T02:18:00.000Z',
    ],
    [
      'that is weekly and was missed runs in the window of any day',
      '2026-01-06T02:00:00.000Z',
      { every: 'weekly' },
      '2026-01-06T02:00:00.000Z',
    ],
    [
      'is in a window that crosses midnight',
      '2026-01-01T12:00:00.000Z',
      { window: { from: '22:00', to: '02:00' } },
      '2026-01-02T00:28:00.000Z',
    ],
    [
      'is due after midnight in such a window',
      '2026-01-02T01:00:00.000Z',
      { window: { from: '22:00', to: '02:00' } },
      '2026-01-02T01:00:00.000Z',
    ],
  ])('%s', (_, now, more, expected) => {
    expect(next(now, more)).toBe(expected)
  })
})

describe('a hundred sites', () => {
  const minutes = (every: 'daily' | 'weekly') =>
    Array.from({ length: 100 }, (_, id) => {
      const at = next('2026-01-05T00:00:00.000Z', {
        ...{ id: id + 1, every, since: '2026-01-05T00:00:00.000Z' },
      })
      return Math.floor((Date.parse(at) - Date.parse('2026-01-05T00:00:00.000Z')) / 60_000)
    })

  test('are spread over the window: one to three in each two percent of it', () => {
    const parts = minutes('daily').map((minute) => Math.floor(((minute - 60) / 240) * 50))
    const sizes = Array.from(
      { length: 50 },
      (_, part) => parts.filter((one) => one === part).length,
    )

    expect([Math.min(...sizes) >= 1, Math.max(...sizes) <= 3]).toEqual([true, true])
  })

  test('are spread over the days of the week', () => {
    const days = minutes('weekly').map((minute) => Math.floor((minute * 60_000) / DAY_MS))
    const sizes = Array.from({ length: 7 }, (_, day) => days.filter((one) => one === day).length)

    expect(sizes.every((size) => size >= 13 && size <= 16)).toBe(true)
  })
})
