import { expect, test } from 'bun:test'
import {
  describeSelection,
  firstMissing,
  includesOf,
  outermost,
} from '#agent/features/backups/chosen/paths.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('a path below another one is part of it', () => {
  expect(outermost(['a/b', 'a', 'ab', 'a/b/c', 'x/y', 'a'])).toEqual(['a', 'ab', 'x/y'])
})

test('names are no patterns of restic', () => {
  expect(includesOf(['a*b/[c]?', 'back\\slash', '!not', 'two words'])).toEqual([
    ...['--include', '/public/a\\*b/\\[c\\]\\?'],
    ...['--include', '/public/back\\\\slash'],
    ...['--include', '/public/!not'],
    ...['--include', '/public/two words'],
  ])
})

test('one thing has its name, more have their number', () => {
  expect([describeSelection(['a'], 'files'), describeSelection(['a', 'b'], 'files')]).toEqual([
    'a',
    '2 files',
  ])
})

test('the uppermost missing folder counts, and a link is no folder', async () => {
  const host = fakeHost()
  const { disk } = host
  disk.putText('/site/a/b/file', '')
  await disk.link('/etc', '/site/link')
  const first = (path: string) => firstMissing(host, '/site', path)

  expect(await first('a/b/other')).toBe(undefined)
  expect(await first('a/c/d/e')).toBe('a/c')
  expect(first('link/passwd')).rejects.toThrow('link is not a folder on the site now')
  expect(first('a/b/file/x')).rejects.toThrow('a/b/file is not a folder on the site now')
})
