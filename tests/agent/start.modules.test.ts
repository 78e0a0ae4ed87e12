import { expect, test } from 'bun:test'
import { loadedBy } from '#tests/support/loaded.ts'

test('the start of the agent loads no command and no contract, except those that records of sites have', async () => {
  const loaded = await loadedBy('agent/start.ts')

  const ofCommands = /^(agent\/commands|shared\/operation-types)\//
  expect(loaded).toContain('agent/operations/runner.ts')
  expect(loaded.filter((path) => ofCommands.test(path))).toEqual([
    'agent/commands/index.ts',
    'shared/operation-types/site.create.ts',
    'shared/operation-types/site.update.ts',
  ])
})
