import { expect, test } from 'bun:test'
import { DisposableAgent, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

test('lists the PHP versions of every server by its name', async () => {
  await using agent = new DisposableAgent()
  await using dashboard = await makeDashboard()
  agent.services = ['php8.2', 'php8.4'].map((name) => ({ name, status: 'running' as const }))
  const server = await dashboard.addServer(agent)
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()

  const { status, body } = await dashboard.call('GET', '/api/fleet/php-versions')

  expect([status, body.servers]).toEqual([
    200,
    [{ server_id: server, name: expect.any(String), php_versions: ['8.2', '8.4'] }],
  ])
})
