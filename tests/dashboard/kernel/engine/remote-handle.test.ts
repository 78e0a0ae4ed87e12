import { describe, expect, test } from 'bun:test'
import type { OperationHandle } from '#dashboard/kernel/engine/operation-handle.ts'
import { getOperation } from '#dashboard/kernel/engine/queries.ts'
import { RemoteOperationHandle } from '#dashboard/kernel/engine/remote-handle.ts'
import { shareOf } from '#dashboard/kernel/leases/shares.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { createSite, transcript } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const DONE = { status: 'success', data: { status: 'ok', domain: 'shop.example' } } as const

/** An agent whose operation ends when the gate opens. */
function gated(agent: FakeAgent) {
  const gate = Promise.withResolvers<void>()
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'One'
    await gate.promise
    return { status: 'ok', domain }
  })
  return gate
}

async function elsewhere({ db, deps }: Dashboard, id: string): Promise<OperationHandle> {
  return new RemoteOperationHandle(deps, await getOperation(db, id), new AbortController().signal)
}

describe('an operation of another dashboard', () => {
  test('is accepted when it has started, and has the outcome of its records', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const gate = gated(agent)
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    const job = await elsewhere(dashboard, id)

    await job.accepted
    gate.resolve()
    expect(await job.finished).toEqual(DONE)
  })

  test('that fails is refused with its reason', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    // biome-ignore lint/correctness/useYield: a work that is refused at once
    agent.works.set('site.create', async function* () {
      throw new Refused({ error: 'Conflict', message: 'The user exists' })
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    const job = await elsewhere(dashboard, id)

    const error = { error: 'Conflict', message: 'The user exists' }
    expect(await job.finished).toMatchObject({ status: 'failed', error })
    expect(job.accepted).rejects.toThrow('The user exists')
  })
})

describe('an operation that is handed over', () => {
  test('continues at its agent, and its callers get the outcome of the other dashboard', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const gate = gated(agent)
    const server = await dashboard.addServer(agent)
    const id = await createSite(dashboard, server)
    const { worker } = dashboard.deps
    const job = worker.start(await getOperation(dashboard.db, id))
    await job.accepted

    worker.handOver([shareOf(server)])
    gate.resolve()
    await Bun.sleep(50)
    expect((await getOperation(dashboard.db, id)).status).toBe('running')
    // What the other dashboard does.
    expect(await worker.resume()).toBe(1)

    expect(await job.finished).toEqual(DONE)
    expect(await transcript(dashboard, id)).toEqual([
      '1 log {"message":"One"}',
      '2 complete {"status":"ok","domain":"shop.example"}',
    ])
    expect(agent.started.get(id)).toBe(1)
  })

  test('of another server stays', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const gate = gated(agent)
    const server = await dashboard.addServer(agent)
    const id = await createSite(dashboard, server)
    const { worker } = dashboard.deps
    const job = worker.start(await getOperation(dashboard.db, id))

    worker.handOver([shareOf(server + 1)])
    gate.resolve()
    expect(await job.finished).toEqual(DONE)
    expect(await worker.resume()).toBe(0)
  })
})
