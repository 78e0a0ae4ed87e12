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

test('every program of the agent starts without the schemas of its answers', async () => {
  const entries = ['main.ts', 'start.ts', 'front/serve.ts', 'mail/serve.ts', 'scan/serve.ts']
  const loaded = await Promise.all(entries.map((name) => loadedBy(`agent/${name}`)))

  expect(loaded.flat()).toContain('shared/agent-headers.ts')
  expect(entries.filter((_, at) => loaded[at]?.includes('shared/agent.ts'))).toEqual([])
})
