// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { HubKey } from '#shared/servers/enrolment.ts'
import { Client } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { poll } from '#tests/support/lab/wait.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  startDashboard,
  sweep,
} from '#tests/support/processes.ts'

/** Listens on every address of this machine, and counts who comes. */
const listener = createServer((socket) => {
  connections += 1
  socket.on('error', () => undefined).destroy()
})
let connections = 0
let port = 0
let client: Client
let dashboard: Running

beforeAll(async () => {
  const ready = once(listener, 'listening')
  listener.once('error', () => listener.listen(0, '0.0.0.0')).listen(0, '::')
  await ready
  port = (listener.address() as AddressInfo).port
  const data = await dashboardFolder()
  const before = await startDashboard(data)
  await enrolled(before)
  await before.stop()
  connections = 0
  dashboard = await startDashboard(data, { NODE_ENV: 'production' })
  client = new Client(dashboard.url)
  await client.login(ADMIN)
}, 60_000)
afterAll(async () => {
  listener.close()
  await sweep()
})

/** Only where loopback is allowed can this machine become known. */
async function enrolled(to: Running): Promise<void> {
  await using agent = await FakeAgent.enrollable()
  const browser = new Client(to.url)
  await browser.login(ADMIN)
  await browser.post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
  const { body } = await browser.post('/api/servers/1/enrolment')
  const { code, hub_key } = (body as { enrolment: { code: string; hub_key: string } }).enrolment
  await agent.enrolment.open(1, HubKey.parse(hub_key), code)
  const isEnrolled = async () => {
    const { body } = await browser.get('/api/servers/1/enrolment')
    return (body as { enrolment: { enrolled_at: string | null } }).enrolment.enrolled_at !== null
  }
  await poll(isEnrolled, { every_ms: 50 })
  // Whoever starts next on these records finds an open code, and asks at once.
  await browser.post('/api/servers', { hostname: '127.0.0.1', port })
  await browser.post('/api/servers/2/enrolment')
}

async function asked(hostname: string) {
  const changed = await client.patch('/api/servers/1', { hostname, port })
  expect(changed.status).toBe(200)
  const { status, body } = await client.post('/api/servers/1/sync')
  return { status, body }
}

const refused = (message: unknown) => ({ status: 503, body: { error: 'Agent offline', message } })

// dashboard/kernel/trust/addresses has all of them.
test.each(['127.0.0.1', '169.254.169.254', '::ffff:7f00:1', 'fd00:ec2::254'])(
  '%s is not contacted in production',
  async (hostname) => {
    const reason = `The server is not contacted: ${hostname} is an address of this machine, its provider or a reserved range`

    expect(await asked(hostname)).toEqual(refused(reason))
    expect(connections).toBe(0)
  },
)

test('a name that resolves to this machine is not contacted in production', async () => {
  const sentence =
    /^The server is not contacted: \S+ is an address of this machine, its provider or a reserved range$/

  expect(await asked('localhost')).toEqual(refused(expect.stringMatching(sentence)))
  expect(connections).toBe(0)
})

test('a private network is contacted only if the operator allows it', async () => {
  const reason =
    'The server is not contacted: 10.1.2.3 is in a private network; set PRIVATE_ADDRESSES=allow when your servers are there'

  expect(await asked('10.1.2.3')).toEqual(refused(reason))
})

test('a server that is not enrolled is not contacted in production, with or without a code', async () => {
  const { status, body } = await client.post('/api/servers/2/sync')

  expect({ status, body }).toEqual(
    refused('The server is not enrolled yet: paste the line that its page shows there'),
  )
  expect(connections).toBe(0)
  expect(dashboard.output.err).not.toContain('enrolment failed')
})

test('accepted clients are counted', async () => {
  await once(connect(port, '127.0.0.1'), 'close')

  expect(connections).toBe(1)
})
