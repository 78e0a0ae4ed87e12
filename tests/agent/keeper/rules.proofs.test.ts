import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Keep } from '#agent/keeper/config.ts'
import { type Backup, forgottenOf, type Proof } from '#agent/keeper/rules.ts'
import { runs } from '#tests/support/runs.ts'

const DAY = 24 * 3_600_000
const NOW = Date.UTC(2026, 10, 23, 12)
const KEEP: Keep = {
  ...{ all_days: 7, daily_days: 0, weekly_days: 0, monthly_days: 0, last_days: null },
}

const backup = (days_ago: number, id = `${days_ago}`): Backup => ({
  ...{ id, arrived: NOW - days_ago * DAY, parts: [`files of ${id}`] },
})
const proof = (days_ago: number, of: string): Proof => ({
  ...{ id: `proof of ${of} ${days_ago}`, arrived: NOW - days_ago * DAY, backup: of },
})

/** What is forgotten. */
function forgotten(backups: readonly Backup[], proofs: readonly Proof[], keep = KEEP): string[] {
  const parts = backups.flatMap(({ id, arrived, parts }) =>
    [id, ...parts].map((part) => ({ id: part, arrived })),
  )
  const snapshots = [...parts, ...proofs]
  return forgottenOf({ snapshots, backups, proofs, unreadable: [], broken: [] }, keep, NOW)
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

  expect(forgotten(backups, [proof(890, '900')], { ...KEEP, last_days: 700 })).toEqual([
    ...['900', 'files of 900', '800', 'files of 800', 'proof of 900 890'],
  ])
  expect(forgotten(backups, [proof(890, '900')], { ...KEEP, last_days: 900 })).toEqual([])
})

test('whatever proofs somebody sends, nothing more is forgotten before the days are over', () => {
  const ages = fc.array(fc.integer({ min: 8, max: 1000 }), { minLength: 1, maxLength: 20 })
  const sent = fc.array(
    fc.tuple(fc.double({ min: 0, max: 7, noNaN: true }), fc.integer({ min: 0, max: 20 })),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(ages, fc.integer({ min: 0, max: 19 }), sent, (days, proven, forged) => {
      const backups = days.map((age, index) => backup(age, `backup ${index}`))
      const nameOf = (index: number) => `backup ${index % backups.length}`
      const real = [proof(8, nameOf(proven))]
      const added = forged.map(([age, index]) => proof(age, nameOf(index)))

      const before = forgotten(backups, real)
      expect(before).toEqual(expect.arrayContaining(forgotten(backups, [...real, ...added])))
    }),
    runs(),
  )
})
