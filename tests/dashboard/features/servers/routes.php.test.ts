import { expect, test } from 'bun:test'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

test('shows the PHP versions of a server with their extensions, and null while it is offline', async () => {
  await using dashboard = await makeDashboard()
  const agent = new FakeAgent()
  agent.php = [{ version: '8.4', extensions: ['curl', 'gd'] }]
  const server = await dashboard.addServer(agent)
  const read = () => dashboard.call('GET', `/api/servers/${server}/php`)

  const online = await read()
  await agent.stop()
  const offline = await read()

  expect(online).toEqual({ status: 200, body: { php: agent.php } })
  expect(offline).toEqual({ status: 200, body: { php: null } })
})
