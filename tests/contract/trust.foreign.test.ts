// tier: gate
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

let client: Client
let states: string[] = []
let agents: Running[] = []

/** Two agents, each enrolled as a server of the dashboard. */
beforeAll(async () => {
  states = [await temporaryFolder('first'), await temporaryFolder('second')]
  agents = await Promise.all(
    states.map((state) =>
      startAgent('the executable', { AGENT_AUTH: 'signed', AGENT_STATE_DIR: state }),
    ),
  )
  const dashboard = await startDashboard(await dashboardFolder())
  client = new Client(dashboard.url)
  await client.login(ADMIN)
  await client.put('/api/settings/sync_interval', { value: 3600 })
  for (const [index, name] of ['first', 'second'].entries()) {
    await client.post('/api/servers', { hostname: '127.0.0.1', port: portOf(index), name })
    await enrolAgent(await open(index + 1), states[index] ?? '')
    await poll(async () => (await sync(index + 1)).status === 200, { every_ms: 100 })
  }
}, 120_000)
afterAll(sweep)

const portOf = (index: number) => agents[index]?.port ?? 0
const sync = (id: number) => client.post(`/api/servers/${id}/sync`)

async function open(id: number): Promise<Enrolment> {
  const { status, body } = await client.post(`/api/servers/${id}/enrolment`)
  expect(status).toBe(201)
  return (body as { enrolment: Enrolment }).enrolment
}

async function items() {
  const { attention } = Object((await client.get('/api/fleet')).body)
  const groups = attention.filter(({ kind }: { kind: string }) => kind === 'foreign_address')
  return groups.flatMap((group: { severity: string; items: { name: string; reason: string }[] }) =>
    group.items.map(({ name, reason }) => [group.severity, name, reason]),
  )
}

test('an address at which the agent of another server answers is a critical item', async () => {
  await client.patch('/api/servers/1', { port: portOf(1) })
  const reason = `The agent on 127.0.0.1:${portOf(1)} is that of the server second: correct the address of this server, or give a copy of that machine an identity of its own`

  const { status, body } = await sync(1)

  expect([status, body]).toEqual([503, { error: 'Agent offline', message: reason }])
  await poll(async () => (await items()).length > 0, { every_ms: 100 })
  expect(await items()).toEqual([['critical', 'first', reason]])

  await client.patch('/api/servers/1', { port: portOf(0) })
  expect((await sync(1)).status).toBe(200)
  await poll(async () => (await items()).length === 0, { every_ms: 100 })
}, 60_000)

test('an agent with a certificate that no server has is named as such', async () => {
  const stranger = await startAgent('the executable', {
    AGENT_AUTH: 'signed',
    AGENT_STATE_DIR: await temporaryFolder('stranger'),
  })
  await client.patch('/api/servers/1', { port: stranger.port })

  const { body } = await sync(1)

  expect(Object(body).message).toBe(
    `The agent on 127.0.0.1:${stranger.port} has another certificate than the one that was enrolled: enrol the server again if its machine was reinstalled; otherwise somebody intercepts the connection`,
  )
  expect(await items()).toEqual([])
  await client.patch('/api/servers/1', { port: portOf(0) })
  expect((await sync(1)).status).toBe(200)
}, 60_000)

test('the machine of one server is not enrolled as another one', async () => {
  const { body } = await client.post('/api/servers', {
    ...{ hostname: 'localhost', port: portOf(0), name: 'third' },
  })
  const { id } = Object(body).server

  await enrolAgent(await open(id), states[0] ?? '').catch(() => undefined)

  const shown = async () => Object((await client.get(`/api/servers/${id}/enrolment`)).body)
  await poll(async () => JSON.stringify(await shown()).includes('copy'), { every_ms: 100 })
  expect(JSON.stringify(await shown())).toContain(
    'This is the machine of the server first, or a copy of it: a copy needs an identity of its own',
  )
}, 60_000)
