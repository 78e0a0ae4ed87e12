// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/wait.ts'
import { temporaryFolder } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'
import { enrolAgent } from '#tests/support/trust/enrol-agent.ts'
import {
  type Enrolled,
  enrolled,
  openEnrolment,
  startSigned,
} from '#tests/support/trust/enrolled.ts'

const { client } = useDashboard()
let servers: Enrolled[] = []

/** Two agents, each enrolled as a server of the dashboard. */
beforeAll(async () => {
  await client().put('/api/settings/sync_interval', { value: 3600 })
  for (const name of ['first', 'second']) {
    const server = await enrolled(client(), name)
    servers = [...servers, server]
    await poll(async () => (await sync(server.id)).status === 200, { every_ms: 100 })
  }
}, 120_000)

const portOf = (index: number) => servers[index]?.agent.port ?? 0
const sync = (id: number) => client().post(`/api/servers/${id}/sync`)

async function items() {
  const { attention } = Object((await client().get('/api/fleet')).body)
  const groups = attention.filter(({ kind }: { kind: string }) => kind === 'foreign_address')
  return groups.flatMap((group: { severity: string; items: { name: string; reason: string }[] }) =>
    group.items.map(({ name, reason }) => [group.severity, name, reason]),
  )
}

test('an address at which the agent of another server answers is a critical item', async () => {
  await client().patch('/api/servers/1', { port: portOf(1) })
  const reason = `The agent on 127.0.0.1:${portOf(1)} is that of the server second: correct the address of this server, or give a copy of that machine an identity of its own`

  const { status, body } = await sync(1)

  expect([status, body]).toEqual([503, { error: 'Agent offline', message: reason }])
  await poll(async () => (await items()).length > 0, { every_ms: 100 })
  expect(await items()).toEqual([['critical', 'first', reason]])

  await client().patch('/api/servers/1', { port: portOf(0) })
  expect((await sync(1)).status).toBe(200)
  await poll(async () => (await items()).length === 0, { every_ms: 100 })
}, 60_000)

test('an agent with a certificate that no server has is named as such', async () => {
  const stranger = await startSigned(await temporaryFolder('stranger'))
  await client().patch('/api/servers/1', { port: stranger.port })

  const { body } = await sync(1)

  expect(Object(body).message).toBe(
    `The agent on 127.0.0.1:${stranger.port} has another certificate than the one that was enrolled: enrol the server again if its machine was reinstalled; otherwise somebody intercepts the connection`,
  )
  expect(await items()).toEqual([])
  await client().patch('/api/servers/1', { port: portOf(0) })
  expect((await sync(1)).status).toBe(200)
}, 60_000)

test('the machine of one server is not enrolled as another one', async () => {
  const { body } = await client().post('/api/servers', {
    ...{ hostname: 'localhost', port: portOf(0), name: 'third' },
  })
  const { id } = Object(body).server

  await enrolAgent(await openEnrolment(client(), id), servers[0]?.state ?? '').catch(
    () => undefined,
  )

  const shown = async () => Object((await client().get(`/api/servers/${id}/enrolment`)).body)
  await poll(async () => JSON.stringify(await shown()).includes('copy'), { every_ms: 100 })
  expect(JSON.stringify(await shown())).toContain(
    'This is the machine of the server first, or a copy of it: a copy needs an identity of its own',
  )
}, 60_000)
