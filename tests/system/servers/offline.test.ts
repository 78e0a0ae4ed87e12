// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { type Enrolled, startWithShop } from '#tests/support/system/enrolled.ts'

const MINUTES = 60_000
setDefaultTimeout(8 * MINUTES)
/** A machine that is busy with other tests is slower than the 30 seconds that the product has. */
const LIMIT_MS = 60_000
const UNITS = ['hosting-agent-front.socket', 'hosting-agent-front', 'hosting-agent']
let world: Enrolled
let site: number

beforeAll(async () => {
  const made = await startWithShop('bookworm')
  world = made.world
  site = made.shop.id
}, 10 * MINUTES)

afterAll(() => world?.stop(), MINUTES)

async function server() {
  const { body } = await world.dashboard.call('GET', `/api/fleet/servers/${world.server}`)
  return Object(body).server as { status: string; status_reason: string }
}

async function health() {
  const { body } = await world.dashboard.call('GET', `/api/fleet/sites/${site}`)
  const { health, health_code } = Object(body).site
  return [health, health_code]
}

/** Resolves with the seconds until the server has a status. */
async function secondsTo(status: 'online' | 'offline'): Promise<number> {
  const began = Date.now()
  await lab.poll(async () => (await server()).status === status, {
    every_ms: 200,
    timeout_ms: LIMIT_MS,
    awaited: `the server is ${status}`,
  })
  return Math.round((Date.now() - began) / 1000)
}

const isUp = () => lab.poll(async () => (await health())[0] === 'up', { timeout_ms: 3 * MINUTES })

test('an unplugged server is offline soon, its sites are unknown, and it is online again soon', async () => {
  await secondsTo('online')
  await isUp()
  await world.host.partition(true)
  await secondsTo('offline')
  expect((await server()).status_reason).toMatch(/did not answer in time$|no route to it$/)
  expect(await health()).toEqual(['unknown', 'server_offline'])

  await world.host.partition(false)
  await secondsTo('online')
  await isUp()
})

test('a server whose agent was stopped refuses the connection', async () => {
  // The socket first: a connection to it would start the agent again.
  await world.host.must(['systemctl', 'stop', ...UNITS])
  await secondsTo('offline')
  expect((await server()).status_reason).toMatch(/refused the connection$/)
  await world.host.must(['systemctl', 'start', ...UNITS])
  await secondsTo('online')
})
