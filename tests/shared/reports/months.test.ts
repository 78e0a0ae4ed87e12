import { expect, test } from 'bun:test'
import {
  addMonths,
  dayName,
  momentName,
  monthName,
  monthOf,
  monthsBetween,
  startOf,
} from '#shared/reports/months.ts'

test('months follow each other over the end of a year', () => {
  expect([addMonths('2026-12', 1), addMonths('2026-01', -1), addMonths('2026-03', -14)]).toEqual([
    '2027-01',
    '2025-12',
    '2025-01',
  ])
  expect(monthOf(new Date('2026-02-28T23:59:59.999Z'))).toBe('2026-02')
  expect(startOf('2026-03').toISOString()).toBe('2026-03-01T00:00:00.000Z')
  expect(monthsBetween('2025-11', '2026-02')).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
})

test('times have names that everybody reads the same', () => {
  const time = '2026-03-03T04:05:06.000Z'
  expect([monthName('2026-03'), dayName(time), momentName(time)]).toEqual([
    'March 2026',
    '3 March 2026',
    '3 March, 04:05',
  ])
})
