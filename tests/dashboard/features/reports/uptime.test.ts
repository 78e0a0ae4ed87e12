import { expect, test } from 'bun:test'
import { type StateChange, uptimeOf } from '#dashboard/features/reports/uptime.ts'

const MARCH = { from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' }
const at = (day: string, state: StateChange['state']): StateChange => ({
  at: `2026-${day}:00.000Z`,
  state,
})

test('counts the time without an answer, and lists each outage', () => {
  const changes = [
    at('02-20T10:00', 'up'),
    at('03-03T04:00', 'down'),
    at('03-03T04:18', 'degraded'),
    at('03-03T05:00', 'up'),
    at('03-31T23:00', 'down'),
  ]

  expect(uptimeOf(changes, MARCH)).toEqual({
    figures: { since: null, percent: 99.82, outages: 2, down_s: 18 * 60 + 3600, unknown_s: 0 },
    outages: [
      { from: '2026-03-03T04:00:00.000Z', to: '2026-03-03T04:18:00.000Z' },
      { from: '2026-03-31T23:00:00.000Z', to: null },
    ],
  })
})

test('begins in the month with an outage that began before it', () => {
  const { outages } = uptimeOf([at('02-28T23:00', 'down'), at('03-01T01:00', 'up')], MARCH)

  expect(outages).toEqual([{ from: MARCH.from, to: '2026-03-01T01:00:00.000Z' }])
})

test('leaves out what was not measured, and when the site was not in use', () => {
  const changes = [
    at('03-11T00:00', 'up'),
    at('03-12T00:00', 'unknown'),
    at('03-13T00:00', 'off'),
    at('03-30T00:00', 'down'),
    at('03-31T00:00', 'up'),
  ]

  expect(uptimeOf(changes, MARCH).figures).toEqual({
    since: '2026-03-11T00:00:00.000Z',
    percent: 66.66,
    outages: 1,
    down_s: 86_400,
    unknown_s: 86_400,
  })
})

test('never rounds an outage away', () => {
  const changes = [
    at('02-01T00:00', 'up'),
    at('03-03T04:00', 'down'),
    { at: '2026-03-03T04:00:09.000Z', state: 'up' as const },
  ]

  expect(uptimeOf(changes, MARCH).figures?.percent).toBe(99.99)
  expect(uptimeOf(changes.slice(0, 1), MARCH).figures?.percent).toBe(100)
})

test('knows nothing before the records, and no share without a measurement', () => {
  expect(uptimeOf([], MARCH)).toEqual({ figures: null, outages: [] })
  expect(uptimeOf([at('04-01T00:00', 'up')], MARCH).figures).toBeNull()
  expect(uptimeOf([at('02-01T00:00', 'unknown')], MARCH).figures).toMatchObject({
    percent: null,
    unknown_s: 31 * 86_400,
  })
})
