import { expect, test } from 'bun:test'
import { BackupExcludes } from '#shared/backups/backup-exclude.ts'

const accepts = (...paths: unknown[]) => BackupExcludes.safeParse(paths).success

test.each([
  ...['wp-content/uploads/videos', '*.log', '**/node_modules', '.git', 'a b/ü', "it's", '$HOME'],
  ...['wp-content/*/cache', '!x', '-x', '..x'],
])('a backup can leave out %j', (path) => {
  expect(accepts(path)).toBe(true)
})

test.each([
  ...[
    '',
    ' ',
    '/etc',
    'a/',
    'a//b',
    '.',
    '..',
    '../shop',
    'a/../b',
    './a',
    '*',
    '**',
    'a/*',
    '*.*',
  ],
  ...['a\nb', 'a\0', 'a\\b', 'a?', '[a]', 'x'.repeat(256), 7, null],
])('a path such as %j is refused', (path) => {
  expect(accepts(path)).toBe(false)
})

test('at most fifty paths, each once', () => {
  const paths = Array.from({ length: 51 }, (_, at) => `folder-${at}`)
  expect([accepts(...paths), accepts(...paths.slice(1)), accepts('a', 'a')]).toEqual([
    ...[false, true, false],
  ])
})
