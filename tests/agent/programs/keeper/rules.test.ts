import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { KeepRules } from '#agent/programs/keeper/config.ts'
import {
  arrivalOf,
  type BackupProof,
  backupsToKeep,
  type CompleteBackup,
  snapshotsToForget,
} from '#agent/programs/keeper/rules.ts'
import { forAll } from '#tests/support/for-all.ts'

const DAY = 24 * 3_600_000
/** A Monday. */
const NOW = Date.UTC(2026, 10, 23, 12)
const KEEP: KeepRules = {
  all_days: 7,
  daily_days: 30,
  weekly_days: 90,
  monthly_days: 365,
  last_days: null,
}

const backup = (days_ago: number, id = `${days_ago}`): CompleteBackup => ({
  ...{ id, arrived: NOW - days_ago * DAY, parts: [`files of ${id}`] },
})
const kept = (backups: readonly CompleteBackup[], keep = KEEP) =>
  backupsToKeep(backups, keep, NOW).map(({ id }) => id)
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

test('a week begins on Monday, and its first backup stays', () => {
  // From Monday, 2026-09-07, to Monday, 2026-09-28, and the newest one.
  const ages = [...daysAgo(56, 77, 1).reverse(), 0]

  expect(kept(ages.map((days) => backup(days)))).toEqual(['77', '70', '63', '56', '0'])
})

test('the last backup of a site stays for ever, or until the days of an ended one are over', () => {
  expect(kept([backup(900), backup(800)])).toEqual(['800'])
  expect(kept([backup(900), backup(800)], { ...KEEP, last_days: 700 })).toEqual([])
  expect(kept([backup(900), backup(800)], { ...KEEP, last_days: 801 })).toEqual(['800'])
})

test('the days for the last backup only add to the other rules', () => {
  const ended = { ...KEEP, last_days: 30 }
  const long = { ...ended, all_days: 90, daily_days: 0, weekly_days: 0, monthly_days: 0 }

  // The newest is also the first of its day, week or month.
  expect(kept([backup(300), backup(260), backup(200)], ended)).toEqual(['300', '260', '200'])
  expect(kept([backup(60), backup(40)], long)).toEqual(['60', '40'])
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 800 }), { maxLength: 30 })
  forAll(days, fc.integer({ min: 30, max: 900 }), (ages, last_days) => {
    const all = ages.map((age) => backup(age))
    const others = kept(all, { ...KEEP, last_days: 0 })

    expect(kept(all, { ...KEEP, last_days })).toEqual(expect.arrayContaining(others))
  })
})

test('the last backup of a deleted site stays while a newer one is not a week old', () => {
  expect(kept([backup(800), backup(7)])).toEqual(['800', '7'])
  expect(kept([backup(800), backup(8)])).toEqual(['8'])
})

test('backups that somebody adds later take the place of no earlier one', () => {
  const history = fc.array(fc.double({ min: 7, max: 1000, noNaN: true }), { maxLength: 40 })
  const added = fc.array(fc.double({ min: 0, max: 7, noNaN: true }), { maxLength: 40 })
  forAll(history, added, (earlier, later) => {
    const real = earlier.map((days, index) => backup(days, `real ${index}`))
    const forged = later.map((days, index) => backup(days, `forged ${index}`))

    expect(kept([...real, ...forged])).toEqual(expect.arrayContaining(kept(real)))
  })
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

  expect(snapshotsToForget(contents, KEEP, NOW)).toEqual(['800', 'files of 800', 'cut off'])
})

test('a snapshot that two backups name stays while one of them does', () => {
  const shared = { parts: ['files'] }
  const backups = [
    { ...backup(800), ...shared },
    { ...backup(10), ...shared },
  ]
  const snapshots = [...backups, { id: 'files', arrived: NOW - 800 * DAY }]

  expect(
    snapshotsToForget({ snapshots, backups, proofs: [], unreadable: [], broken: [] }, KEEP, NOW),
  ).toEqual(['800'])
})

test('while a manifest cannot be read, what no other names stays for the longest time of the rules', () => {
  const snapshots = [364, 366].map((days) => ({ id: `${days}`, arrived: NOW - days * DAY }))

  const contents = { snapshots, backups: [], proofs: [], unreadable: ['364'], broken: [] }
  expect(snapshotsToForget(contents, KEEP, NOW)).toEqual(['366'])
})

test('what is left of a broken backup stays as long as any rule keeps a backup, and the last one for ever', () => {
  const broken = [backup(364), backup(366)]
  const snapshots = broken.flatMap(({ id, arrived, parts }) =>
    [id, ...parts].map((part) => ({ id: part, arrived })),
  )
  const contents = { snapshots, proofs: [], unreadable: [], broken }

  expect(snapshotsToForget({ ...contents, backups: [backup(1)] }, KEEP, NOW)).toEqual([
    ...['366', 'files of 366'],
  ])
  expect(snapshotsToForget({ ...contents, backups: [] }, KEEP, NOW)).toEqual([])
})

const WEEK: KeepRules = { ...KEEP, daily_days: 0, weekly_days: 0, monthly_days: 0 }

const proof = (days_ago: number, of: string): BackupProof => ({
  ...{ id: `proof of ${of} ${days_ago}`, arrived: NOW - days_ago * DAY, backup: of },
})

/** What is forgotten. */
function forgotten(
  backups: readonly CompleteBackup[],
  proofs: readonly BackupProof[],
  keep = WEEK,
): string[] {
  const parts = backups.flatMap(({ id, arrived, parts }) =>
    [id, ...parts].map((part) => ({ id: part, arrived })),
  )
  const snapshots = [...parts, ...proofs]
  return snapshotsToForget({ snapshots, backups, proofs, unreadable: [], broken: [] }, keep, NOW)
}

test('the newest proven backup stays with its parts and its proof, however old it is', () => {
  const backups = [backup(800), backup(400), backup(300), backup(8)]

  expect(forgotten(backups, [proof(799, '800'), proof(390, '400')])).toEqual([
    ...['800', 'files of 800', '300', 'files of 300', 'proof of 800 799'],
  ])
  expect(forgotten(backups, [])).toEqual([
    ...['800', 'files of 800', '400', 'files of 400', '300', 'files of 300'],
  ])
})

test('the one before stays until the next proof is older than the days of all backups', () => {
  const backups = [backup(400), backup(300), backup(1)]
  const proofs = (days: number) => [proof(390, '400'), proof(days, '300')]

  expect(forgotten(backups, proofs(7))).toEqual([])
  expect(forgotten(backups, proofs(8))).toEqual(['400', 'files of 400', 'proof of 400 390'])
})

test('a proof of a backup that the repository does not have is ignored', () => {
  const backups = [backup(400), backup(300), backup(8)]

  expect(forgotten(backups, [proof(390, '400'), proof(20, 'none')])).toEqual([
    ...['300', 'files of 300', 'proof of none 20'],
  ])
})

test('the proofs of a deleted site keep nothing longer than its last backup', () => {
  const backups = [backup(900), backup(800)]

  expect(forgotten(backups, [proof(890, '900')], { ...WEEK, last_days: 700 })).toEqual([
    ...['900', 'files of 900', '800', 'files of 800', 'proof of 900 890'],
  ])
  expect(forgotten(backups, [proof(890, '900')], { ...WEEK, last_days: 900 })).toEqual([])
})

test('whatever proofs somebody sends, nothing more is forgotten before the days are over', () => {
  const ages = fc.array(fc.integer({ min: 8, max: 1000 }), { minLength: 1, maxLength: 20 })
  const sent = fc.array(
    fc.tuple(fc.double({ min: 0, max: 7, noNaN: true }), fc.integer({ min: 0, max: 20 })),
    { maxLength: 20 },
  )
  forAll(ages, fc.integer({ min: 0, max: 19 }), sent, (days, proven, forged) => {
    const backups = days.map((age, index) => backup(age, `backup ${index}`))
    const nameOf = (index: number) => `backup ${index % backups.length}`
    const real = [proof(8, nameOf(proven))]
    const added = forged.map(([age, index]) => proof(age, nameOf(index)))

    const before = forgotten(backups, real)
    expect(before).toEqual(expect.arrayContaining(forgotten(backups, [...real, ...added])))
  })
})
