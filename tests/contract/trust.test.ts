// tier: core
import { beforeAll, expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/wait.ts'
import { type Running, temporaryFolder } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'
import { enrolAgent } from '#tests/support/trust/enrol-agent.ts'
import { addServer, openEnrolment, startSigned } from '#tests/support/trust/enrolled.ts'

const { client } = useDashboard()
let agent: Running
let state = ''
let server = 0

beforeAll(async () => {
  state = await temporaryFolder('enrolled')
  agent = await startSigned(state)
  server = await addServer(client(), agent, 'web-1')
}, 60_000)

test('an agent that is not enrolled refuses every request', async () => {
  const { status, body } = await client().post(`/api/servers/${server}/sync`)

  expect(status).toBe(503)
  expect(body).toMatchObject({ error: 'Agent offline' })
})

test('the pasted line and the code make the server online, by a signed request', async () => {
  const output = await enrolAgent(await openEnrolment(client(), server), state)

  expect(output.trim()).toBe('enrolled: the dashboard and this agent trust each other')
  await poll(
    async () => {
      const { body } = await client().get(`/api/fleet/servers/${server}`)
      return (body as { server: { status: string } }).server.status === 'online'
    },
    { every_ms: 100 },
  )
})

test('a restarted agent gets requests with its new nonce without an error', async () => {
  await agent.stop()
  agent = await startSigned(state, agent.port)

  const { status } = await client().post(`/api/servers/${server}/sync`)

  expect(status).toBe(200)
})

test('the activity log has the enrolment', async () => {
  const { body } = await client().get('/api/activity?limit=500')

  const types = (body as { activities: { type: string; status: string }[] }).activities
  expect(types).toContainEqual(expect.objectContaining({ type: 'server.enrol', status: 'success' }))
})

test('a server whose trust was revoked is not contacted any more', async () => {
  const path = `/api/servers/${server}/enrolment`
  const { status } = await client().send({ method: 'DELETE', path })
  expect(status).toBe(204)

  expect((await client().post(`/api/servers/${server}/sync`)).status).toBe(503)
})
