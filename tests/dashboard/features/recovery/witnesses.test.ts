import { expect, test } from 'bun:test'
import { witnessOf } from '#agent/kernel/trust/witness.ts'
import { noteRestored, Witnesses } from '#dashboard/features/recovery/witnesses.ts'
import { ActivityRecord } from '#dashboard/kernel/activity/record.ts'
import { WitnessRequest } from '#shared/servers/record.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { record, tamper } from '#tests/support/dashboard/record.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

/** An agent that keeps checkpoints as the real one does, with the requests that it got. */
function witness(agent: FakeAgent): WitnessRequest[] {
  const host = fakeHost()
  const kept = witnessOf({ ...host, exclusive: host.exclusive, state_dir: '/state' })
  const requests: WitnessRequest[] = []
  agent.answers.set('/record', async (request) => {
    const asked = WitnessRequest.parse(await request.json())
    requests.push(asked)
    return Response.json(await kept.keep(asked))
  })
  return requests
}

async function makeWitnessed(agent: FakeAgent): Promise<Dashboard> {
  const dashboard = await makeDashboard()
  const server = await dashboard.addServer(agent)
  await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  await record(dashboard, ['a', 'b', 'c'])
  await dashboard.deps.record.seal()
  return dashboard
}

/** The next process of a dashboard whose own last checkpoint is lost, with the same database. */
function restarted({ deps, folder }: Dashboard) {
  const next = new ActivityRecord({ ...deps, data_dir: undefined })
  return { next, witnesses: new Witnesses({ ...deps, record: next, data_dir: folder }) }
}

/** Puts the database back to the state before the last activity. */
async function putBack(dashboard: Dashboard): Promise<void> {
  const { record: chain } = dashboard.deps
  const { checkpoint } = await chain.verify()
  await record(dashboard, ['later'])
  await chain.seal()
  await dashboard.deps.witnesses.ask()
  await tamper(
    dashboard,
    "delete from activities where domain = 'later'",
    'delete from activity_links where seq = (select max(seq) from activity_links)',
    `update activity_heads set note = '${checkpoint}'`,
  )
}

test('each checkpoint is sent once, with the link that the agent knows', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeWitnessed(agent)
  const requests = witness(agent)
  const { witnesses, record: chain } = dashboard.deps

  await witnesses.ask()
  await witnesses.ask()
  await record(dashboard, ['d'])
  await chain.seal()
  await witnesses.ask()
  const { witnesses: later } = restarted(dashboard)
  await later.ask()
  await record(dashboard, ['e'])
  await chain.seal()
  await later.ask()

  const [first, second, third, fourth] = requests
  expect(requests).toHaveLength(4)
  expect([first?.before, third?.before]).toEqual([null, null])
  expect(second?.before).toEqual({
    size: first?.checkpoint.size ?? 0,
    hash: first?.checkpoint.hash ?? '',
  })
  expect(fourth?.before?.size).toBe(third?.checkpoint.size ?? 0)
  expect((await chain.verify()).ok).toBe(true)
})

test('an agent that did not follow for a while gets the link that it knows', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeWitnessed(agent)
  const requests = witness(agent)
  await dashboard.deps.witnesses.ask()
  await record(dashboard, ['d'])
  await dashboard.deps.record.seal()

  const { next, witnesses } = restarted(dashboard)
  await witnesses.ask()

  expect(requests).toHaveLength(3)
  expect((await next.verify()).ok).toBe(true)
})

test('a database that was put back is noticed, and also when its record has grown again', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeWitnessed(agent)
  witness(agent)
  await putBack(dashboard)
  const { next, witnesses } = restarted(dashboard)
  expect((await next.verify()).problem).toBeNull()

  await witnesses.ask()

  const message = expect.stringMatching(
    /^The record has \d+ links: the agent of 127\.0\.0\.1 has a checkpoint of .* with \d+$/,
  )
  expect(next.problem).toEqual({ code: 'older', id: null, message })
  expect(await next.verify()).toMatchObject({ ok: false, problem: { code: 'older' } })
  await record(dashboard, ['x', 'y', 'z'])
  await next.seal()
  await witnesses.ask()
  expect(next.problem?.code).toBe('contradiction')
})

test('after a restore that a user has confirmed, the agents follow the restored record', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeWitnessed(agent)
  witness(agent)
  await putBack(dashboard)
  const { next, witnesses } = restarted(dashboard)
  await witnesses.ask()
  expect(next.problem?.code).toBe('older')

  await noteRestored(dashboard.folder, new Date().toISOString())
  await witnesses.ask()

  expect(next.problem).toBeNull()
  expect((await next.verify()).ok).toBe(true)
})

test('agents that are too old, or offline, are no witnesses', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeWitnessed(agent)

  await dashboard.deps.witnesses.ask()

  expect(dashboard.deps.record.problem).toBeNull()
  expect(dashboard.log.filter((line) => line.includes('witness'))).toEqual([])
})
