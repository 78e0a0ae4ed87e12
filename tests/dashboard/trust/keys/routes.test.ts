import { expect, test } from 'bun:test'
import { server_agents } from '#dashboard/db/trust-schema.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { TlsAgent } from '#tests/support/trust/tls-agent.ts'

const DAY_MS = 24 * 3600_000

async function enrolled(dashboard: Dashboard, agent: TlsAgent): Promise<number> {
  const server_id = await dashboard.addServer(agent)
  const { certificate, public_key } = agent.identity
  const { kid } = await dashboard.deps.keys.current()
  const row = { server_id, certificate, public_key, kid, enrolled_at: '' }
  await dashboard.db.write((queries) => queries.insert(server_agents).values(row))
  return server_id
}

const states = async (dashboard: Dashboard) => {
  const { body } = await dashboard.call('GET', '/api/keys')
  return body.keys.map(({ state, agents }: { state: string; agents: number }) => [state, agents])
}

test('a key that no agent needs is removed by the next one', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.deps.keys.current()

  const { status, body } = await dashboard.call('POST', '/api/keys/rotate')

  expect(status).toBe(201)
  expect(body.keys.map(({ state }: { state: string }) => state)).toEqual(['current'])
})

test('an expired key only delivers the new one', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  await using agent = await TlsAgent.start()
  const id = await enrolled(dashboard, agent)
  await dashboard.call('POST', '/api/keys/rotate')
  expect(await states(dashboard)).toEqual([
    ['current', 0],
    ['leaving', 1],
  ])

  clock.move(DAY_MS)

  expect(await states(dashboard)).toEqual([
    ['current', 0],
    ['retired', 1],
  ])
  const { status } = await dashboard.call('POST', `/api/servers/${id}/sync`)
  expect([status, agent.asked]).toEqual([503, ['GET /keys']])
})

test('a key of an open enrolment stays until that ends', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  const id = await dashboard.addServer({ port: 1 })
  await dashboard.call('POST', `/api/servers/${id}/enrolment`)

  await dashboard.call('POST', '/api/keys/rotate')
  expect(await states(dashboard)).toHaveLength(2)

  clock.move(15 * 60_000)
  await dashboard.call('POST', '/api/keys/rotate')
  expect(await states(dashboard)).toHaveLength(1)
})
