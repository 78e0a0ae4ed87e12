import { expect, test } from 'bun:test'
import { type Document, importsIn, readSources } from '#scripts/lib/sources.ts'
import {
  asTestFile,
  committedRecords,
  type Recorded,
  type TestFile,
  testFiles,
} from '#scripts/test/files.ts'
import { closures } from '#scripts/test/reach.ts'
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

/** Folders whose tests have no file of source code of their own: they drive programs from outside, or judge sources and tests. */
const BLACK_BOX = ['browser', 'contract', 'simulation', 'structure', 'support', 'system']

/**
 * A sentence for each test that is not at the path of what it tests: `a/b.ts` is tested by
 * `tests/a/b.test.ts`, and an aspect of it by `tests/a/b.aspect.test.ts`.
 */
function misplacedTests(paths: readonly string[]): string[] {
  const stems = new Set(paths.map((path) => path.replace(/\.(tsx?|sh|mjs)$/, '')))
  return paths
    .filter((path) => /^tests\/.*\.test\.tsx?$/.test(path))
    .filter((path) => !BLACK_BOX.includes(path.split('/')[1] ?? ''))
    .filter((path) => !tested(path).some((stem) => stems.has(stem)))
    .map((path) => `${path} tests no file at its path`)
}

function tested(path: string): string[] {
  const whole = path.replace(/^tests\//, '').replace(/\.test\.tsx?$/, '')
  return [whole, whole.replace(/\.[^./]+$/, '')]
}

/** A sentence for each command of the agent that has no test of its own. */
function untestedCommands(paths: readonly string[], commands: readonly string[]): string[] {
  return commands
    .filter((name) => !paths.some((path) => isTestOf(path, name)))
    .map((name) => `${name}.test.ts is missing below tests/agent/features`)
}

/** Returns a sentence for each file of `tests/support` that compares something. */
function assertionsInSupport(files: readonly Document[]): string[] {
  return files
    .filter(({ path, text }) => path.startsWith('tests/support/') && /\bexpect\(/.test(text))
    .map(({ path }) => `${path} expects something: a test does that with what it returns`)
}

const isTestOf = (path: string, command: string) =>
  path.startsWith('tests/agent/features/') && path.endsWith(`/${command}.test.ts`)

const commands = [
  { name: 'wp.scan', changes: false },
  { name: 'wp.login', changes: true },
  { name: 'site.purge', changes: true },
  { name: 'site.create', changes: true },
  { name: 'mail.apply', changes: true },
]
const SOURCES: Record<string, string> = {
  'tests/system/life.test.ts': "// tier: core\nimport '#tests/support/system/life.ts'\n",
  'tests/support/system/life.ts': "run('site.create')",
  'tests/system/kills.test.ts':
    "// tier: full, interrupts\nimport '#tests/support/results.ts'\nkill('site.create')",
  'tests/support/results.ts': "'site.purge' 'wp.login' 'mail.apply'",
  'tests/simulation/operations.test.ts': "kill('mail.apply')",
}

test('a command needs a test in the gate and an interruption in the full suite', () => {
  const documents = Object.entries(SOURCES).map(([path, text]) => ({ path, text }))
  const files = documents
    .filter(({ path }) => path.endsWith('.test.ts'))
    .map(({ path, text }) => asTestFile(path, text))
  const recorded = { 'tests/system/life.test.ts': { seconds: 1, commands: ['wp.login'] } }

  expect(uncoveredCommands(commands, documents, files, recorded)).toEqual({
    gate: ['site.purge', 'wp.scan'],
    interruption: ['site.purge', 'wp.login'],
  })
})

test('every command has both', async () => {
  const [files, recorded] = await Promise.all([testFiles('.'), committedRecords('.')])

  expect(uncoveredCommands(Object.values(COMMANDS), sources, files, recorded)).toEqual({
    gate: [],
    interruption: [],
  })
})

type Command = { name: string; changes: boolean }

/** The commands without a test of a kind, in the order of their names. */
type Untested = {
  /** No test of the gate runs it on a server. */
  gate: string[]
  /** The command changes something, and no test of the full suite interrupts it. */
  interruption: string[]
}

/** Where a test on servers, simulated ones included, names the commands that it runs. */
const NAMES = /^tests\/(support\/)?(system|simulation)\//
const ON_SERVERS = ['system', 'simulation']

/** A test runs what its hosts ran in the last recorded run, and what its text names. */
function uncoveredCommands(
  commands: readonly Command[],
  sources: readonly Document[],
  files: readonly TestFile[],
  recorded: Recorded,
): Untested {
  const closureOf = closures(importsIn(sources.filter(({ path }) => path.startsWith('tests/'))))
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const without = (tests: readonly TestFile[]) => {
    const run = new Set(tests.flatMap(({ path }) => recorded[path]?.commands ?? []))
    const read = new Set(tests.flatMap(({ path }) => [...closureOf(path)]))
    const words = [...read].filter((path) => NAMES.test(path)).map((path) => texts.get(path))
    return commands.filter(
      ({ name }) => !run.has(name) && !words.some((text) => text?.includes(`'${name}'`)),
    )
  }
  const namesOf = (some: readonly Command[]) => some.map(({ name }) => name).sort()
  const servers = files.filter(({ part }) => ON_SERVERS.includes(part))
  return {
    gate: namesOf(without(servers.filter(({ tier }) => tier !== 'full'))),
    interruption: namesOf(
      without(servers.filter(({ part, interrupts }) => interrupts || part !== 'system')).filter(
        ({ changes }) => changes,
      ),
    ),
  }
}
