// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { KeyView } from '#shared/servers/api/keys.ts'
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
import { times } from '#tests/support/runs.ts'
import { type Enrolment, enrolAgent } from '#tests/support/trust/enrol-agent.ts'

/** One agent that is always online, and one that is offline during the rotation. */
interface Enrolled {
  id: number
  state: string
  agent: Running
}

const HALF = times(100)

let client: Client
let present: Enrolled
let away: Enrolled

async function start(state: string, port = 0): Promise<Running> {
  const address = { AGENT_LISTEN: `127.0.0.1:${port}`, AGENT_STATE_DIR: state }
  return startAgent('the executable', { AGENT_AUTH: 'signed', ...address })
}

async function enrolled(name: string): Promise<Enrolled> {
  const state = await temporaryFolder(name)
  const agent = await start(state)
  const input = { hostname: '127.0.0.1', port: agent.port, name }
  const added = (await client.post('/api/servers', input)).body as { server: { id: number } }
  const { id } = added.server
  const { body } = await client.post(`/api/servers/${id}/enrolment`)
  await enrolAgent((body as { enrolment: Enrolment }).enrolment, state)
  return { id, state, agent }
}

beforeAll(async () => {
  const dashboard = await startDashboard(await dashboardFolder())
  client = new Client(dashboard.url)
  await client.login(ADMIN)
  present = await enrolled('present')
  away = await enrolled('away')
}, 60_000)
afterAll(sweep)

const keys = async () => ((await client.get('/api/keys')).body as { keys: KeyView[] }).keys
const sync = async ({ id }: Enrolled) => (await client.post(`/api/servers/${id}/sync`)).text

/** What of so many syncs in a row did not end well. */
async function failures(count: number): Promise<string[]> {
  const failed: string[] = []
  for (let left = count; left > 0; left--) {
    const text = await sync(present)
    if (!text.includes('event: complete')) failed.push(text)
  }
  return failed
}

/** The same, but the key changes half-way, whatever is running then. */
async function failuresAround(change: () => Promise<unknown>): Promise<string[]> {
  const first = await failures(HALF)
  const [, second] = await Promise.all([change(), failures(HALF)])
  return [...first, ...second]
}

test('one key signs for two agents', async () => {
  expect(await keys()).toMatchObject([{ state: 'current', until: null, agents: 2 }])
})

test(`none of ${2 * HALF} syncs around a rotation fails`, async () => {
  const [before] = await keys()
  await away.agent.stop()

  expect(await failuresAround(() => client.post('/api/keys/rotate'))).toEqual([])

  const [current, leaving] = await keys()
  expect(current).toMatchObject({ state: 'current', agents: 1 })
  expect(current?.kid).not.toBe(before?.kid)
  expect(leaving).toMatchObject({ kid: before?.kid, state: 'leaving', agents: 1 })
}, 180_000)

test('an agent that was offline gets the key when it is back, and the old one is retired', async () => {
  expect(await sync(away)).toContain('Agent offline')
  away.agent = await start(away.state, away.agent.port)

  expect(await sync(away)).toContain('event: complete')

  expect(await keys()).toMatchObject([{ state: 'current', agents: 2 }])
  expect(await keys()).toHaveLength(1)
})

test('the activity log has the rotation and the end of the old key', async () => {
  const { body } = await client.get('/api/activity?limit=500')

  const { activities } = body as { activities: { type: string; status: string }[] }
  const rotations = activities.filter(({ type }) => type.startsWith('key.'))
  expect(rotations.map(({ type, status }) => `${type} ${status}`)).toEqual([
    'key.retire success',
    'key.rotate success',
  ])
})

test('root on a server can replace the old key with the current one by hand', async () => {
  await away.agent.stop()
  await client.post('/api/keys/rotate')
  const [current] = await keys()
  const path = `${away.state}/trust/hub.json`
  const [, kid, public_key] = current?.hub_key.split(':') ?? []
  const trusted = { server_id: away.id, epoch: 9, keys: [{ kid, public_key, until: null }] }
  await Bun.write(path, JSON.stringify(trusted))
  away.agent = await start(away.state, away.agent.port)

  expect(await sync(away)).toContain('event: complete')

  const all = () => keys().then(([{ agents } = { agents: 0 }]) => agents === 2)
  expect(await poll(all, { every_ms: 100 })).toBe(true)
})
