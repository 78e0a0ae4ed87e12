import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Keep } from '#agent/keeper/config.ts'
import { arrivalOf, type Backup, forgottenOf, keptOf } from '#agent/keeper/rules.ts'
import { runs } from '#tests/support/runs.ts'

const DAY = 24 * 3_600_000
/** A Monday. */
const NOW = Date.UTC(2026, 10, 23, 12)
const KEEP: Keep = {
  all_days: 7,
  daily_days: 30,
  weekly_days: 90,
  monthly_days: 365,
  last_days: null,
}

const backup = (days_ago: number, id = `${days_ago}`): Backup => ({
  ...{ id, arrived: NOW - days_ago * DAY, parts: [`files of ${id}`] },
})
const kept = (backups: readonly Backup[], keep = KEEP) =>
  keptOf(backups, keep, NOW).map(({ id }) => id)
const daysAgo = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

test('of a year of two backups a day, it keeps those of a week, and firsts of days, weeks and months', () => {
  const ages = daysAgo(0, 500, 0.5)

  const left = kept(ages.map((days) => backup(days))).map(Number)

  const count = (from: number, to: number) =>
    left.filter((days) => days > from && days <= to).length
  expect([count(-1, 7.5), count(7.5, 30), count(30, 90), count(90, 365), count(365, 500)]).toEqual([
    16, 22, 10, 9, 0,
  ])
})

test('the last backup of a site stays for ever, or until the days for it are over', () => {
  expect(kept([backup(900), backup(800)])).toEqual(['800'])
  expect(kept([backup(900), backup(800)], { ...KEEP, last_days: 700 })).toEqual([])
  expect(kept([backup(900), backup(800)], { ...KEEP, last_days: 801 })).toEqual(['800'])
})

test('the last backup of a deleted site stays while a newer one is not a week old', () => {
  expect(kept([backup(800), backup(7)])).toEqual(['800', '7'])
  expect(kept([backup(800), backup(8)])).toEqual(['8'])
})

test('backups that somebody adds later take the place of no earlier one', () => {
  const history = fc.array(fc.double({ min: 7, max: 1000, noNaN: true }), { maxLength: 40 })
  const added = fc.array(fc.double({ min: 0, max: 7, noNaN: true }), { maxLength: 40 })
  fc.assert(
    fc.property(history, added, (earlier, later) => {
      const real = earlier.map((days, index) => backup(days, `real ${index}`))
      const forged = later.map((days, index) => backup(days, `forged ${index}`))

      expect(kept([...real, ...forged])).toEqual(expect.arrayContaining(kept(real)))
    }),
    runs(),
  )
})

test('a date is believed only between two runs of the keeper', () => {
  const yesterday = NOW - DAY
  expect(arrivalOf(NOW - 400 * DAY, yesterday, NOW)).toBe(yesterday)
  expect(arrivalOf(NOW + 400 * DAY, yesterday, NOW)).toBe(NOW)
  expect(arrivalOf(NOW - 3_600_000, yesterday, NOW)).toBe(NOW - 3_600_000)
  expect(arrivalOf(NOW - 400 * DAY, undefined, NOW)).toBe(NOW - 400 * DAY)
})

test('the parts of a kept backup stay, and so does what is not older than two days', () => {
  const old = backup(800)
  const backups = [old, backup(10)]
  const parts = backups.flatMap(({ id, arrived, parts }) =>
    [id, ...parts].map((part) => ({ id: part, arrived })),
  )
  const others = [
    { id: 'running', arrived: NOW - 1.9 * DAY },
    { id: 'cut off', arrived: NOW - 2.1 * DAY },
  ]
  const contents = {
    snapshots: [...parts, ...others],
    backups,
    proofs: [],
    unreadable: [],
    broken: [],
  }

  expect(forgottenOf(contents, KEEP, NOW)).toEqual(['800', 'files of 800', 'cut off'])
})

test('a snapshot that two backups name stays while one of them does', () => {
  const shared = { parts: ['files'] }
  const backups = [
    { ...backup(800), ...shared },
    { ...backup(10), ...shared },
  ]
  const snapshots = [...backups, { id: 'files', arrived: NOW - 800 * DAY }]

  expect(
    forgottenOf({ snapshots, backups, proofs: [], unreadable: [], broken: [] }, KEEP, NOW),
  ).toEqual(['800'])
})

test('while a manifest cannot be read, what no other names stays for the longest time of the rules', () => {
  const snapshots = [364, 366].map((days) => ({ id: `${days}`, arrived: NOW - days * DAY }))

  const contents = { snapshots, backups: [], proofs: [], unreadable: ['364'], broken: [] }
  expect(forgottenOf(contents, KEEP, NOW)).toEqual(['366'])
})

test('what is left of a broken backup stays as long as any rule keeps a backup, and the last one for ever', () => {
  const broken = [backup(364), backup(366)]
  const snapshots = broken.flatMap(({ id, arrived, parts }) =>
    [id, ...parts].map((part) => ({ id: part, arrived })),
  )
  const contents = { snapshots, proofs: [], unreadable: [], broken }

  expect(forgottenOf({ ...contents, backups: [backup(1)] }, KEEP, NOW)).toEqual([
    ...['366', 'files of 366'],
  ])
  expect(forgottenOf({ ...contents, backups: [] }, KEEP, NOW)).toEqual([])
})
