// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { poll } from '#tests/support/lab/wait.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  startAgent,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { type Enrolment, enrolAgent } from '#tests/support/trust/enrol-agent.ts'

let dashboard: Running
let agent: Running
let client: Client
let state = ''
let server = 0

beforeAll(async () => {
  state = await temporaryFolder('enrolled')
  agent = await startAgent('the executable', { AGENT_AUTH: 'signed', AGENT_STATE_DIR: state })
  dashboard = await startDashboard(await dashboardFolder())
  client = new Client(dashboard.url)
  await client.login(ADMIN)
  const input = { hostname: '127.0.0.1', port: agent.port }
  const { body } = await client.post('/api/servers', input)
  server = (body as { server: { id: number } }).server.id
}, 60_000)
afterAll(sweep)

async function open(): Promise<Enrolment> {
  const { status, body } = await client.post(`/api/servers/${server}/enrolment`)
  expect(status).toBe(201)
  return (body as { enrolment: Enrolment }).enrolment
}

test('an agent that is not enrolled refuses every request', async () => {
  const { status, body } = await client.post(`/api/servers/${server}/sync`)

  expect(status).toBe(503)
  expect(body).toMatchObject({ error: 'Agent offline' })
})

test('the pasted line and the code make the server online, by a signed request', async () => {
  const output = await enrolAgent(await open(), state)

  expect(output.trim()).toBe('enrolled: the dashboard and this agent trust each other')
  await poll(
    async () => {
      const { body } = await client.get(`/api/fleet/servers/${server}`)
      return (body as { server: { status: string } }).server.status === 'online'
    },
    { every_ms: 100 },
  )
})

test('a restarted agent gets requests with its new nonce without an error', async () => {
  await agent.stop()
  const env = {
    AGENT_AUTH: 'signed',
    AGENT_STATE_DIR: state,
    AGENT_LISTEN: `127.0.0.1:${agent.port}`,
  }
  agent = await startAgent('the executable', env)

  const { status } = await client.post(`/api/servers/${server}/sync`)

  expect(status).toBe(200)
})

test('the activity log has the enrolment', async () => {
  const { body } = await client.get('/api/activity?limit=500')

  const types = (body as { activities: { type: string; status: string }[] }).activities
  expect(types).toContainEqual(expect.objectContaining({ type: 'server.enrol', status: 'success' }))
})

test('a server whose trust was revoked is not contacted any more', async () => {
  const path = `/api/servers/${server}/enrolment`
  const { status } = await client.send({ method: 'DELETE', path })
  expect(status).toBe(204)

  expect((await client.post(`/api/servers/${server}/sync`)).status).toBe(503)
})
