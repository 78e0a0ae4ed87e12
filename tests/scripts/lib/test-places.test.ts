import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { misplacedTests, untestedCommands } from '#scripts/lib/test-places.ts'
import { COMMANDS } from '#shared/commands.ts'

const paths = (await readSources('.')).map(({ path }) => path)

test('every test is at the path of what it tests', () => {
  expect(misplacedTests(paths)).toEqual([])
})

test('every command has a test', () => {
  expect(untestedCommands(paths, Object.keys(COMMANDS))).toEqual([])
})

test('names the test that a command lacks', () => {
  expect(untestedCommands(['tests/agent/commands/a.b.test.ts'], ['a.b', 'c.d'])).toEqual([
    'tests/agent/commands/c.d.test.ts is missing',
  ])
})

test('names a test whose source is not there, and lets aspects and black-box tests be', () => {
  const tests = ['a/b.test.ts', 'a/b.slow.test.ts', 'a/c.test.ts', 'contract/c.test.ts']

  expect(misplacedTests(['a/b.ts', ...tests.map((path) => `tests/${path}`)])).toEqual([
    'tests/a/c.test.ts tests no file at its path',
  ])
})
