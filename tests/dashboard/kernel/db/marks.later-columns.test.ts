import { expect, test } from 'bun:test'
import { createHmac, hkdfSync } from 'node:crypto'
import { markedWith, SEAL_SECRET } from '#tests/support/marks.ts'

const user = {
  id: 1,
  email: 'ann@control.example',
  name: 'Ann',
  password_hash: 'hash',
  created_at: '2026-01-01T00:00:00.000Z',
}

/** The mark that the first release gave the row. */
function firstMark(): string {
  const key = Buffer.from(hkdfSync('sha256', SEAL_SECRET, '', 'hosting-mark/1 users', 32))
  const text = JSON.stringify(Object.values(user))
  return createHmac('sha256', key).update(text).digest('base64url')
}

test('a mark of the first release fits while the later columns have their defaults', () => {
  const marks = markedWith()

  expect(marks.of('users', user)).toBe(firstMark())
  expect(marks.fits('users', { ...user, factor_id: '', mark: firstMark() })).toBe(true)
  expect(marks.fits('users', { ...user, factor_id: 'own', mark: firstMark() })).toBe(false)
})

test('a later column is covered as soon as it has another value', () => {
  const marks = markedWith()
  const mark = marks.of('users', { ...user, factor_id: 'own' })

  const fits = ['own', 'other', ''].map((factor_id) =>
    marks.fits('users', { ...user, factor_id, mark }),
  )

  expect(fits).toEqual([true, false, false])
  expect(marks.fits('users', { ...user, mark })).toBe(false)
})

test('no later column is set back to its default', () => {
  const marks = markedWith()
  const row = { ...user, deactivated_at: '2026-02-01T00:00:00.000Z' }
  const mark = marks.of('users', row)

  expect(
    [null, row.deactivated_at].map((deactivated_at) =>
      marks.fits('users', { ...row, deactivated_at, mark }),
    ),
  ).toEqual([false, true])
})
