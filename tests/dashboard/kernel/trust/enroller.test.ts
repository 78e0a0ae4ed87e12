import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { HubKey } from '#shared/servers/enrolment.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'
import { countedRecords } from '#tests/support/dashboard/counted.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** tcpmux: nothing listens there. */
const NOBODY = 1

let clock: SteppedClock
let dashboard: Dashboard
let statements: string[]

beforeEach(async () => {
  clock = new SteppedClock()
  const counted = countedRecords()
  statements = counted.statements
  dashboard = await makeDashboard({ clock, open: counted.open })
  dashboard.deps.enroller.start()
})

afterEach(async () => {
  const stopped = dashboard.deps.enroller.stop()
  await clock.pass(MINUTE)
  await stopped
  await dashboard[Symbol.asyncDispose]()
})

const look = async (id: number) =>
  (await dashboard.call('GET', `/api/servers/${id}/enrolment`)).body.enrolment

const create = async (id: number) =>
  (await dashboard.call('POST', `/api/servers/${id}/enrolment`)).body.enrolment

/** How often the codes are read while so much time passes. */
async function roundsIn(ms: number): Promise<number> {
  await clock.pass(0)
  statements.length = 0
  await clock.pass(ms)
  return statements.filter((sql) => sql.includes('from "enrolments"')).length
}

describe('a code', () => {
  test('is used within a second after it was given to the agent', async () => {
    await using agent = await FakeAgent.enrollable()
    const id = await dashboard.addServer(agent)
    agent.answers.set('/enrol', () => Response.json({}, { status: 403 }))
    const { code, hub_key } = await create(id)
    await until(async () => (await look(id)).code.reason_code === 'waits_for_code')

    agent.answers.delete('/enrol')
    await agent.enrolment.open(id, HubKey.parse(hub_key), code)
    await clock.pass(SECOND)

    await until(async () => (await look(id)).enrolled_at !== null)
  })

  test('does not wait for another server that does not answer', async () => {
    await using silent = await FakeAgent.enrollable()
    await using agent = await FakeAgent.enrollable()
    silent.answer = () => new Promise(() => undefined)
    const [one, other] = [await dashboard.addServer(silent), await dashboard.addServer(agent)]
    await create(one)
    await clock.pass(SECOND)
    await until(() => silent.asked.length > 0)

    const { code, hub_key } = await create(other)
    await agent.enrolment.open(other, HubKey.parse(hub_key), code)
    await clock.pass(SECOND)

    await until(async () => (await look(other)).enrolled_at !== null)
  })
})

describe('the contacts', () => {
  test('are one each second for two minutes after a code is new, and then each half minute', async () => {
    await create(await dashboard.addServer({ port: NOBODY }))
    await clock.pass(MINUTE)

    const soon = await roundsIn(MINUTE)
    await clock.pass(MINUTE)
    const later = await roundsIn(MINUTE)

    expect([soon, later]).toEqual([60, 2])
  })

  test('are one each second while somebody watches, and at once when that begins', async () => {
    const id = await dashboard.addServer({ port: NOBODY })
    await create(id)
    await clock.pass(3 * MINUTE)

    await look(id)
    const watched = await roundsIn(10 * SECOND)
    const later = await roundsIn(MINUTE)

    expect([watched, later]).toEqual([10, 2])
  })

  test('end with the code', async () => {
    const id = await dashboard.addServer({ port: NOBODY })
    await create(id)
    await clock.pass(16 * MINUTE)

    const rounds = await roundsIn(MINUTE)
    const { body } = await dashboard.call('GET', '/api/activity?type=server.enrol')

    expect(body.activities).toMatchObject([{ status: 'failed' }])
    expect([rounds, (await look(id)).code.status]).toEqual([2, 'expired'])
  })
})

test('without codes, they are looked for twice a minute', async () => {
  await dashboard.addServer({ port: NOBODY })
  await clock.pass(MINUTE)

  expect(await roundsIn(MINUTE)).toBe(2)
})
