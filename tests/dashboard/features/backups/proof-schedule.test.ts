import { expect, test } from 'bun:test'
import { nextProof, type ProofSchedule } from '#dashboard/features/backups/proof-schedule.ts'

const SITE: ProofSchedule = {
  ...{ id: 1, every: 'weekly', window: { from: '01:00', to: '05:00' } },
  ...{ proof: null, newest_id: 7, failed_at: null },
}
const NOON = new Date('2026-03-04T12:00:00.000Z')
const next = (more: Partial<ProofSchedule>, now = NOON) =>
  nextProof({ ...SITE, ...more }, now).toISOString()
const proof = (recorded_at: string, proven = true, backup_id = 7) => ({
  ...{ recorded_at, proven, backup_id },
})

test('a site without a proof is due in the next window', () => {
  expect(next({})).toBe('2026-03-05T01:00:00.000Z')
  expect(next({}, new Date('2026-03-05T02:00:00.000Z'))).toBe('2026-03-05T02:00:00.000Z')
})

test('a proven site is due next at its moment of the week, or of four weeks', () => {
  const proven = proof('2026-03-02T02:00:00.000Z')
  expect(next({ proof: proven })).toBe('2026-03-06T02:18:00.000Z')
  expect(next({ proof: proven, every: 'monthly' })).toBe('2026-03-05T02:13:00.000Z')
  const later = proof('2026-03-05T02:30:00.000Z')
  const then = new Date('2026-03-05T12:00:00.000Z')
  expect(next({ proof: later, every: 'monthly' }, then)).toBe('2026-04-02T02:13:00.000Z')
})

test('a newer backup is proven in the next window after a proof with findings', () => {
  const failed = proof('2026-03-04T02:00:00.000Z', false)
  expect(next({ proof: failed, newest_id: 8 })).toBe('2026-03-05T01:00:00.000Z')
  expect(next({ proof: failed })).toBe('2026-03-06T02:18:00.000Z')
})

test('a missed proof runs outside the window, when it is late', () => {
  const proven = proof('2026-02-23T02:00:00.000Z')
  expect(next({ proof: proven })).toBe(NOON.toISOString())
})

test('an attempt that failed is repeated an hour later at the earliest', () => {
  const failed_at = '2026-03-05T01:30:00.000Z'
  expect(next({ failed_at }, new Date('2026-03-05T01:40:00.000Z'))).toBe('2026-03-05T02:30:00.000Z')
})
