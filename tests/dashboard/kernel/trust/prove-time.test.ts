import { expect, test } from 'bun:test'
import { proveTime } from '#dashboard/kernel/trust/prove-time.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { enrolled } from '#tests/support/dashboard/enrolled.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { challenge, nonce } from '#tests/support/trust/sign.ts'

const seconds = (plus: number) => Math.floor(Date.now() / 1000) + plus

test.each([
  ['accepts a signed request', () => Response.json({ epoch: 1, keys: [] }), true],
  ['has another time', () => challenge(nonce(), seconds(20 * 24 * 3600)), false],
  ['is broken', () => new Response('no', { status: 500 }), false],
])('the time of day with an agent that %s', async (_, answer, isProven) => {
  await using dashboard = await makeDashboard()
  await using agent = await FakeAgent.enrollable()
  await enrolled(dashboard, agent)
  agent.answer = answer

  expect(await proveTime(dashboard.deps)).toBe(isProven)
})

test('the time of day is not questioned while there are no agents', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.addServer({ port: 1 })

  expect(await proveTime(dashboard.deps)).toBe(true)
})
