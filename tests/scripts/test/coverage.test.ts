import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { readSources } from '#scripts/lib/documents.ts'
import { untestedCommands } from '#scripts/test/coverage.ts'
import { asTestFile, readRecorded, testFiles } from '#scripts/test/files.ts'
import { COMMANDS } from '#shared/commands.ts'

const ROOT = join(import.meta.dir, '../../..')
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

  expect(untestedCommands(commands, documents, files, recorded)).toEqual({
    gate: ['site.purge', 'wp.scan'],
    interruption: ['site.purge', 'wp.login'],
  })
})

test('every command has both', async () => {
  const [sources, files, recorded] = await Promise.all([
    readSources(ROOT),
    testFiles(ROOT),
    readRecorded(ROOT),
  ])

  expect(untestedCommands(Object.values(COMMANDS), sources, files, recorded)).toEqual({
    gate: [],
    interruption: [],
  })
})
