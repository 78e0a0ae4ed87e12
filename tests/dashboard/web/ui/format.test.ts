import { expect, test } from 'bun:test'
import { formatDuration, formatRelative, formatShare } from '#dashboard/web/ui/format.ts'

const NOW = Date.parse('2026-11-20T12:00:00.000Z')

test.each([
  ['2026-11-20T11:59:55.000Z', 'just now'],
  ['2026-11-20T11:59:20.000Z', '40 sec. ago'],
  ['2026-11-20T11:01:00.000Z', '59 min. ago'],
  ['2026-11-18T13:00:00.000Z', '1 day ago'],
  ['2026-10-06T12:00:00.000Z', '45 days ago'],
  ['2026-08-20T12:00:00.000Z', '3 mo. ago'],
  ['2025-06-20T12:00:00.000Z', '17 mo. ago'],
  ['2024-06-20T12:00:00.000Z', '2 yr. ago'],
  ['2026-12-30T12:00:00.000Z', 'in 40 days'],
])('%s is %s', (at, said) => {
  expect(formatRelative(at, NOW)).toBe(said)
})

test.each([
  [0, '0 s'],
  [12_400, '12 s'],
  [60_000, '1 min'],
  [64_000, '1 min 4 s'],
  [3_600_000, '1 h'],
  [3_664_000, '1 h 1 min'],
  [84 * 86_400_000 + 120_000, '84 d'],
  [26 * 3_600_000, '1 d 2 h'],
])('%d ms are %s', (ms, said) => {
  expect(formatDuration(ms)).toBe(said)
})

test.each([
  [0.996, '99%'],
  [0.29, '29%'],
  [1, '100%'],
  [0, '0%'],
])('a share of %d is %s: only full is 100%', (share, text) => {
  expect(formatShare(share)).toBe(text)
})
