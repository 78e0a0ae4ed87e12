import { expect, test } from 'bun:test'
import { BackupParts } from '#shared/backups/backup-parts.ts'

const problemsOf = (parts: object) =>
  BackupParts.safeParse(parts).error?.issues.map(({ path, message }) => [path.join('.'), message])

test.each([
  [{ files: true, database: false }],
  [{ files: true, database: true, paths: ['a', 'b/..c', 'ü 🎉/$HOME', '*'], tables: ['a`b;'] }],
])('%j is allowed', (parts) => {
  expect(problemsOf(parts)).toBe(undefined)
})

const PATH = 'Must be a path such as wp-content/uploads, relative to the public folder'
const CONTROL = 'Must not contain control characters: choose the folder above'

test.each([
  ['', 'Must have 1 to 1024 characters'],
  ['/etc', PATH],
  ['a/../b', PATH],
  ['a/', PATH],
  ['a//b', PATH],
  ['.', PATH],
  ['a\nb', CONTROL],
  ['a\0b', CONTROL],
  ['bad\ufffd', CONTROL],
  ['x'.repeat(1025), 'Must have 1 to 1024 characters'],
])('the path %j is refused', (path, message) => {
  expect(problemsOf({ files: true, database: false, paths: [path] })).toContainEqual([
    'paths.0',
    message,
  ])
})

test.each([
  [{ files: false, database: false }, '', 'Must name files or database'],
  [{ files: false, database: true, paths: ['a'] }, '', 'Must have files with paths'],
  [{ files: true, database: false, tables: ['a'] }, '', 'Must have database with tables'],
  [{ files: true, database: false, paths: [] }, 'paths', 'Must have 1 to 100 paths'],
  [{ files: true, database: true, tables: [''] }, 'tables.0', 'Must have 1 to 64 characters'],
])('%j is refused', (parts, path, message) => {
  expect(problemsOf(parts)).toEqual([[path, message]])
})
