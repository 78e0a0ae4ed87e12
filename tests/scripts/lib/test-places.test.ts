import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { assertionsInSupport, misplacedTests, untestedCommands } from '#scripts/lib/test-places.ts'
import { COMMANDS } from '#shared/commands.ts'

const sources = await readSources('.')
const paths = sources.map(({ path }) => path)

test('every test is at the path of what it tests', () => {
  expect(misplacedTests(paths)).toEqual([])
})

test('every command has a test', () => {
  expect(untestedCommands(paths, Object.keys(COMMANDS))).toEqual([])
})

test('names the test that a command lacks', () => {
  expect(untestedCommands(['tests/agent/features/a/a.b.test.ts'], ['a.b', 'c.d'])).toEqual([
    'c.d.test.ts is missing below tests/agent/features',
  ])
})

test('names a test whose source is not there, and lets aspects and black-box tests be', () => {
  const tests = ['a/b.test.ts', 'a/b.slow.test.ts', 'a/c.test.ts', 'contract/c.test.ts']

  expect(misplacedTests(['a/b.ts', ...tests.map((path) => `tests/${path}`)])).toEqual([
    'tests/a/c.test.ts tests no file at its path',
  ])
})

test('expectations are in tests', () => {
  expect(assertionsInSupport(sources)).toEqual([])
})

test('names a file of tests/support that expects something, and no matcher', () => {
  const files = [
    { path: 'tests/support/a.ts', text: 'expect(1).toBe(2)' },
    { path: 'tests/support/b.ts', text: 'expect.extend({ a: expect.any(String) })' },
    { path: 'tests/agent/c.test.ts', text: 'expect(1).toBe(1)' },
  ]

  expect(assertionsInSupport(files)).toEqual([
    'tests/support/a.ts expects something: a test does that with what it returns',
  ])
})
