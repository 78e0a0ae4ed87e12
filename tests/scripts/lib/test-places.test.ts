import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { misplacedTests } from '#scripts/lib/test-places.ts'

test('every test is at the path of its source', async () => {
  const paths = (await readSources('.')).map(({ path }) => path)

  expect(misplacedTests(paths)).toEqual([])
})

test('names a test whose source is not there, and lets aspects and black-box tests be', () => {
  const tests = ['a/b.test.ts', 'a/b.slow.test.ts', 'a/c.test.ts', 'contract/c.test.ts']

  expect(misplacedTests(['a/b.ts', ...tests.map((path) => `tests/${path}`)])).toEqual([
    'tests/a/c.test.ts tests no file at its path',
  ])
})
