// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { enrolments, server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import type { EnrolmentAnswer } from '#shared/servers/enrolment.ts'
import { Client } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
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
import { enrolByHand, type Opened } from '#tests/support/trust/enrol-by-hand.ts'

let dashboard: Running
let agent: Running
let middle: FakeAgent
let client: Client
let data = ''
let state = ''
let server = 0
let code = ''
/** How often the dashboard had come by when the code was burnt. */
let asked = 0
/** What went over the wire of who sits in the middle. */
const received: string[] = []

beforeAll(async () => {
  state = await temporaryFolder('enrolling')
  data = await dashboardFolder()
  const [running, records, relay] = await Promise.all([
    startAgent('the executable', { AGENT_AUTH: 'signed', AGENT_STATE_DIR: state }),
    startDashboard(data),
    FakeAgent.enrollable(),
  ])
  agent = running
  dashboard = records
  middle = relay
  middle.answer = async (request) => {
    const body = await request.text()
    const path = new URL(request.url).pathname
    const answer = await new Client(agent.url).send({ method: request.method, path, body })
    // Before the code was typed on the server there is nothing to hear.
    if (answer.status === 200) received.push(body, answer.text)
    const status = received.length > 4 ? 200 : answer.status
    return new Response(forged(answer.text), { status })
  }
  client = new Client(dashboard.url)
  await client.login(ADMIN)
  const input = { hostname: '127.0.0.1', port: middle.port }
  const { body } = await client.post('/api/servers', input)
  server = (body as { server: { id: number } }).server.id
}, 60_000)
afterAll(async () => {
  await middle.stop()
  await sweep()
})

/** The answer as it is, then with the certificate of who sits in the middle, then without end. */
function forged(text: string): string {
  if (received.length < 4) return text
  if (received.length > 4) return '{}'
  const answer = JSON.parse(text) as EnrolmentAnswer
  return JSON.stringify({ ...answer, certificate: middle.identity.certificate })
}

async function open(): Promise<Opened> {
  const { body } = await client.post(`/api/servers/${server}/enrolment`)
  return (body as { enrolment: Opened }).enrolment
}

async function records() {
  const db = await openDatabase(`file:${data}/dashboard.db`)
  const pinned = await db.read.select().from(server_agents)
  const open = await db.read.select().from(enrolments)
  db.close()
  return { pinned: pinned.length, failures: open.map(({ failures }) => failures) }
}

async function statuses(): Promise<string[]> {
  const { body } = await client.get('/api/activity?limit=500')
  const { activities } = body as { activities: { type: string; status: string }[] }
  return activities.filter(({ type }) => type === 'server.enrol').map(({ status }) => status)
}

test('a man in the middle is never trusted, and three attempts invalidate the code', async () => {
  const enrolment = await open()
  code = enrolment.code

  const output = await enrolByHand(state, server, enrolment)

  await poll(async () => (await statuses()).length === 4, { every_ms: 100 })
  expect(output).toBe(
    'hosting-agent: the code is wrong or was used: create a new one in the dashboard',
  )
  expect(await records()).toEqual({ pinned: 0, failures: [3] })
  expect(await statuses()).toEqual(['failed', 'failed', 'failed', 'failed'])
  expect(received).toHaveLength(6)
  asked = middle.asked.length
  await Bun.sleep(1100)
  expect(middle.asked).toEqual(Array(asked).fill('POST /enrol'))
  const { status, body } = await client.post(`/api/servers/${server}/sync`)
  expect({ status, body }).toMatchObject({ status: 503, body: { error: 'Agent offline' } })
}, 30_000)

test('an eavesdropper learns neither the code nor a key', async () => {
  const { private_key, tls_key } = JSON.parse(
    await readFile(`${state}/trust/identity.json`, 'utf8'),
  ) as { private_key: string; tls_key: string }
  const secrets = [code, ...[private_key, tls_key].map((pem) => pem.split('\n')[1] ?? '')]

  expect(secrets.filter((secret) => received.join('\n').includes(secret))).toEqual([])
  expect(secrets.every((secret) => secret.length >= 22)).toBe(true)
})

test('a new code over a direct connection makes the server online', async () => {
  await client.patch(`/api/servers/${server}`, { port: agent.port })

  const output = await enrolByHand(state, server, await open())

  expect(output).toBe('enrolled: the dashboard and this agent trust each other')
  expect(await records()).toEqual({ pinned: 1, failures: [] })
  expect((await client.post(`/api/servers/${server}/sync`)).status).toBe(200)
  expect(middle.asked).toHaveLength(asked)
}, 30_000)

test('after enrolment, a man in the middle receives nothing', async () => {
  await client.patch(`/api/servers/${server}`, { port: middle.port })

  const { status, body } = await client.post(`/api/servers/${server}/sync`)

  expect({ status, body }).toEqual({
    status: 503,
    body: {
      error: 'Agent offline',
      message: `The agent on 127.0.0.1:${middle.port} has another certificate than the one that was enrolled: enrol the server again if its machine was reinstalled; otherwise somebody intercepts the connection`,
    },
  })
  expect(middle.asked).toHaveLength(asked)
})
