// tier: core
import { afterAll, expect, test } from 'bun:test'
import { startAgent, sweep } from '#tests/support/processes.ts'

afterAll(sweep)

test('the agent runs on Deno from the same source', async () => {
  const agent = await startAgent('deno run')

  const answer = await fetch(`${agent.url}/health`)

  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
  expect(await agent.stop()).toBe(0)
})
