import { describe, expect, test } from 'bun:test'
import { recordCancelRequest } from '#dashboard/kernel/engine/cancel/queries.ts'
import { markSent, markUnsent } from '#dashboard/kernel/engine/progress.queries.ts'
import { storeFailure } from '#dashboard/kernel/engine/store-outcome.ts'
import { CuttingProxy } from '#tests/support/cutting-proxy.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { createSite, ended, transcript } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const cancelled = { error: 'Conflict', message: 'The operation was cancelled' }

const cancel = (dashboard: Dashboard, id: string, body?: unknown) =>
  dashboard.call('POST', `/api/operations/${id}/cancel`, body)

/** A creation that has printed one line and runs until it is ended. */
async function held(dashboard: Dashboard, agent: FakeAgent): Promise<string> {
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'Creating the user'
    await until(() => agent.works.has('released'))
    return { status: 'ok', domain }
  })
  const id = await createSite(dashboard, await dashboard.addServer(agent))
  await until(async () => (await dashboard.db.read.query.operation_events.findMany()).length > 0)
  return id
}

const siteOf = async (dashboard: Dashboard) => {
  const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
  return { status: body.site.status, reason: body.site.status_reason }
}

describe('cancelling an operation', () => {
  test('ends it with the result of its agent, and updates the site', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const id = await held(dashboard, agent)

    const answer = await cancel(dashboard, id)

    const operation = await ended(dashboard, id)
    const { body } = await dashboard.call('GET', '/api/activity?limit=2')
    expect(answer).toMatchObject({ status: 202, body: { operation: { id, cancel: 'graceful' } } })
    expect(operation).toMatchObject({ status: 'cancelled', cancel: 'graceful', error: cancelled })
    expect(await transcript(dashboard, id)).toEqual([
      '1 log {"message":"Creating the user"}',
      `2 error ${JSON.stringify(cancelled)}`,
    ])
    expect(agent.cancelled).toEqual([`${id} graceful`])
    expect(await siteOf(dashboard)).toEqual({
      status: 'cancelled',
      reason: 'Its creation was cancelled',
    })
    expect(body.activities).toMatchObject([
      { type: 'operation.cancel', domain: 'shop.example', status: 'success' },
      { type: 'site.create', domain: 'shop.example', status: 'cancelled' },
    ])
  })

  test('is graceful first, and forced when repeated', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.stubborn = true
    const id = await held(dashboard, agent)

    await cancel(dashboard, id)
    await until(() => agent.cancelled.length === 1)
    await cancel(dashboard, id, { force: true })
    const operation = await ended(dashboard, id)

    expect(agent.cancelled).toEqual([`${id} graceful`, `${id} forced`])
    expect(operation).toMatchObject({ status: 'cancelled', cancel: 'forced' })
  })

  test('is a success when the work completes before the agent gets the request', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.stubborn = true
    const id = await held(dashboard, agent)

    await cancel(dashboard, id)
    await until(() => agent.cancelled.length === 1)
    agent.works.set('released', async function* () {
      yield ''
      return {}
    })
    const operation = await ended(dashboard, id)

    expect(operation).toMatchObject({ status: 'success', cancel: 'graceful', error: null })
    expect(await siteOf(dashboard)).toEqual({ status: 'active', reason: '' })
  })

  test('ends it immediately when it never reached an agent', async () => {
    await using dashboard = await makeDashboard()
    const id = await createSite(dashboard, await dashboard.addServer({ port: 1 }))
    await until(async () => {
      const { body } = await dashboard.call('GET', `/api/operations/${id}`)
      return body.operation.attempts > 0
    })

    await cancel(dashboard, id)

    const error = { ...cancelled, code: 'cancelled' }
    expect(await ended(dashboard, id)).toMatchObject({ status: 'cancelled', error })
    expect(await transcript(dashboard, id)).toEqual([`1 error ${JSON.stringify(cancelled)}`])
    expect(await siteOf(dashboard)).toEqual({
      status: 'cancelled',
      reason: 'Its creation was cancelled',
    })
  })

  test('waits for an agent that may have received it, also in the next process', async () => {
    await using agent = new FakeAgent()
    await using first = await makeDashboard()
    const id = await held(first, agent)
    await agent.stop()
    await cancel(first, id)
    const waiting = await until(async () => {
      const { body } = await first.call('GET', `/api/operations/${id}`)
      return body.operation.attempts > 1 && body.operation
    })
    await first.stop()
    await using second = await makeDashboard({ folder: first.folder })
    await second.deps.worker.resume()
    agent.listen()

    const operation = await ended(second, id)

    expect(waiting).toMatchObject({ status: 'running', error: { error: 'Agent offline' } })
    expect(operation).toMatchObject({ status: 'cancelled', error: cancelled })
    expect(agent.started.get(id)).toBe(1)
  })

  test('does not start an operation when the cancel request arrives first', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    let isLost = true
    const cutAfter = (request: string) =>
      isLost && request.startsWith('POST /exec') ? -1 : undefined
    const network = new CuttingProxy({ port: agent.port, cutAfter })
    const id = await createSite(
      dashboard,
      await dashboard.addServer({ port: await network.listen() }),
    )
    await until(() => network.cuts > 0)

    await cancel(dashboard, id)
    await until(() => agent.cancelled.length > 0)
    isLost = false
    const operation = await ended(dashboard, id)
    await network.stop()

    expect(operation).toMatchObject({ status: 'cancelled', error: cancelled })
    expect(agent.started.has(id)).toBe(false)
  })

  test('lets the operation continue when the agent cannot cancel', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const id = await held(dashboard, agent)
    agent.answers.set(`/operations/${id}/cancel`, () =>
      Response.json({ error: 'Not found', message: 'No such call' }, { status: 404 }),
    )

    await cancel(dashboard, id)
    await until(() => agent.asked.includes(`POST /operations/${id}/cancel`))
    agent.works.set('released', async function* () {
      yield ''
      return {}
    })

    expect(await ended(dashboard, id)).toMatchObject({ status: 'success', cancel: 'graceful' })
  })

  test('interrupts a sync, and the next one runs', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ limits: { answer_ms: 60_000 } })
    const server = await dashboard.addServer(agent)
    const asked = Promise.withResolvers<void>()
    agent.answers.set('/services', () => {
      asked.resolve()
      return new Promise<Response>(() => undefined)
    })
    const response = await dashboard.send('POST', `/api/servers/${server}/sync`)
    const id = response.headers.get('operation-id') ?? ''
    await asked.promise

    await cancel(dashboard, id)

    const operation = await ended(dashboard, id)
    agent.answers.clear()
    const next = await dashboard.send('POST', `/api/servers/${server}/sync`)
    const { body } = await dashboard.call('GET', `/api/fleet/servers/${server}`)
    expect(operation).toMatchObject({ status: 'cancelled', error: cancelled })
    expect(await transcript(dashboard, id)).toEqual([
      '1 log {"message":"Connected to the agent of 127.0.0.1"}',
      `2 error ${JSON.stringify(cancelled)}`,
    ])
    expect(await next.text()).toContain('event: complete')
    expect(body.server.failures).toBe(0)
  })

  test('is 404 for an unknown one, 409 for one that has ended, 422 for a wrong field', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    await ended(dashboard, id)

    expect(await cancel(dashboard, 'none')).toEqual({
      status: 404,
      body: { error: 'Not found', message: 'Operation not found' },
    })
    expect(await cancel(dashboard, id)).toEqual({
      status: 409,
      body: { error: 'Conflict', message: 'The operation has ended already' },
    })
    expect(await cancel(dashboard, id, { force: 'yes' })).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields: { force: ['Must be true or false'] } },
    })
  })
})

test('an operation has one end: a second one is ignored', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  const id = await held(dashboard, agent)
  const row = (await dashboard.db.read.query.operations.findMany())[0]
  if (!row) throw new Error('no operation')

  const outcomes = await Promise.all([
    storeFailure(dashboard.deps, row, { error: 'Internal error', message: 'one' }),
    storeFailure(dashboard.deps, row, { error: 'Internal error', message: 'two' }),
  ])

  const first = { status: 'failed', error: { error: 'Internal error', message: 'one' } }
  expect(outcomes).toEqual([first, first] as never)
  expect(await transcript(dashboard, id)).toHaveLength(2)
})

test('a cancelled operation is not sent any more', async () => {
  await using dashboard = await makeDashboard()
  const id = await createSite(dashboard, await dashboard.addServer({ port: 1 }))
  await dashboard.deps.worker.stop()
  const { db } = dashboard
  const now = '2026-01-01T00:00:00.000Z'
  const entry = {
    type: 'operation.cancel',
    domain: '',
    status: 'success',
    created_at: now,
  } as const
  await markUnsent(db, { id, deadline_at: now })
  await recordCancelRequest(db, id, 'graceful', { ...entry, server_id: null, user_id: null })

  expect(await markSent(db, id, { sent_at: now, deadline_at: now })).toBe(false)
})
