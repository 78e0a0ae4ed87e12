import { expect, test } from 'bun:test'
import { AddressReport, CopySource, MAX_EXAMPLES, MAX_LEFT } from '#shared/copies/copy-source.ts'
import { openedBy } from '#tests/support/repository-password.ts'

const backup = {
  kind: 'backup',
  target: { place: { kind: 'local', path: '/mnt/backup' }, secret: '' },
  repository: 'shop',
  ...openedBy('correct horse'),
  backup: 'a'.repeat(64),
}

test('a copy is made of a site or of a backup, and the password of the backup is hidden', () => {
  const site = CopySource.parse({ kind: 'site', domain: 'Shop.example' })
  expect(site).toEqual({ kind: 'site', domain: 'shop.example' })
  expect(JSON.stringify(CopySource.parse(backup))).not.toContain('horse')
})

test.each([
  ['another kind', { ...backup, kind: 'archive' }],
  ['a backup without the id of a password', { ...backup, password_id: undefined }],
  ['a site without a domain', { kind: 'site' }],
  ['a part of a snapshot', { ...backup, backup: 'abc' }],
])('refuses %s as a source', (_, source) => {
  expect(CopySource.safeParse(source).success).toBe(false)
})

test('a report of addresses is bounded', () => {
  const left = { table: 'wp_posts', column: 'guid', reason: 'skipped', count: 2, examples: ['a'] }
  const report = { replaced: 1, left: Array(MAX_LEFT).fill(left) }
  expect(AddressReport.parse(report)).toEqual(report)
  expect(AddressReport.safeParse({ ...report, left: [...report.left, left] }).success).toBe(false)
  const examples = Array(MAX_EXAMPLES + 1).fill('a')
  const more = { ...report, left: [{ ...left, examples }] }
  expect(AddressReport.safeParse(more).success).toBe(false)
})
