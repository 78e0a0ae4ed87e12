import { expect, test } from 'bun:test'
import { withDiskAdvice } from '#agent/kernel/host/storage.ts'
import { conflict } from '#shared/kernel/errors.ts'

const full = 'No space left on a disk of this server: free some space, and retry'
const fixed = 'A disk of this server is read-only: make it writable, and retry'

test.each([
  ["ENOSPC: no space left on device, open '/srv/x'", full],
  ['cp failed (exit status 1): cp: error writing: No space left on device', full],
  ['MariaDB: Can\'t create directory (errno: 28 "No space left on device")', full],
  ["MariaDB: The table 'wp_options' is full", full],
  ['EDQUOT: disk quota exceeded, write', full],
  ['The import was ended before it filled the disk: /var/lib/mysql has 60 MB free', full],
  ['The disk is too full for the import: /var/lib/mysql has 4 MB free', full],
  ["EROFS: read-only file system, mkdir '/var/lib/x'", fixed],
  ['useradd: cannot open /etc/passwd: Read-only file system', fixed],
])('says how to solve "%s"', (message, what) => {
  const blamed = withDiskAdvice(new Error(message))

  const refusal = what === full ? 'disk_full' : undefined
  expect(blamed).toMatchObject({ code: 'internal', message: `${what} (${message})`, refusal })
  expect(withDiskAdvice(blamed)).toBe(blamed)
})

test('keeps the code of a failure that has one', () => {
  const error = conflict('could not undo: ENOSPC', 'not_undone')

  expect(withDiskAdvice(error)).toMatchObject({ refusal: 'not_undone' })
})

test.each([
  'nginx refuses its configuration: line 28 is full of errors',
  'Save(<data/b9a8>) failed: sftp: no space left on device',
])('returns "%s" unchanged', (message) => {
  const error = conflict(message)

  expect(withDiskAdvice(error)).toBe(error)
})
