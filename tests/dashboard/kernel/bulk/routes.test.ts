import { describe, expect, test } from 'bun:test'
import { bodyOf, conflict } from '#shared/kernel/errors.ts'
import {
  hasStatus,
  items,
  outcomes,
  pools,
  sitesOn,
  start,
  storedEvents,
  view,
} from '#tests/support/dashboard/bulk.ts'
import {
  type Dashboard,
  makeDashboard,
  PASSWORD,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const cancelled = { error: 'Conflict', message: 'The operation was cancelled' }

describe('bulk operations', () => {
  test('each item has its operation and result, and one stream shows all', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    pools(agent)
    await sitesOn(dashboard, agent, 'a.example', 'bad.example', 'c.example')

    const id = await start(dashboard, { targets: { site_ids: [1, 2, 3] }, parallel: 1 })
    const stream = await storedEvents(dashboard, id)

    const bulk = await view(dashboard, id)
    const rows = await items(dashboard, id)
    const activity = await dashboard.call('GET', '/api/activity?type=bulk.create')
    const operations = await dashboard.call('GET', `/api/operations?bulk_id=${id}`)
    expect(stream).toEqual([
      '1 log pool.apply of 3 sites begins',
      '2 log a.example begins',
      '3 log a.example: done',
      '4 log bad.example begins',
      '5 log bad.example: No pool',
      '6 log c.example begins',
      '7 log c.example: done',
      '8 error 1 of 3 failed',
    ])
    expect(bulk).toMatchObject({
      status: 'failed',
      reason: '',
      counts: { total: 3, waiting: 0, running: 0, success: 2, failed: 1, cancelled: 0, skipped: 0 },
    })
    expect(rows).toMatchObject([
      { position: 1, site_id: 1, status: 'success', error: null },
      { position: 2, site_id: 2, status: 'failed', error: { message: 'No pool' } },
      { position: 3, site_id: 3, status: 'success', error: null },
    ] as object[])
    expect(operations.body.operations.map((row: { id: string }) => row.id).toSorted()).toEqual(
      rows.map((row) => row.operation_id ?? '').toSorted(),
    )
    expect(activity.body.activities).toMatchObject([{ status: 'failed' }])
    expect(await storedEvents(dashboard, id, 6)).toEqual(stream.slice(6))
  })

  test('respects the limits of concurrency, in total and on one server', async () => {
    await using one = new FakeAgent()
    await using two = new FakeAgent()
    await using dashboard = await makeDashboard()
    const [first, second] = [pools(one), pools(two)]
    const domains = (name: string) => Array.from({ length: 6 }, (_, at) => `${name}${at}.example`)
    const a = await sitesOn(dashboard, one, ...domains('a'))
    const b = await sitesOn(dashboard, two, ...domains('b'))

    const id = await start(dashboard, { targets: { server_ids: [a, b] }, parallel: 3 })

    await hasStatus(dashboard, id, 'success')
    expect(first.started.length + second.started.length).toBe(12)
    expect(Math.max(first.most, second.most)).toBe(2)
  })

  test('pauses after consecutive failures, says why, and continues on request', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    pools(agent)
    const domains = ['bad1.example', 'a.example', 'bad2.example', 'bad3.example', 'z.example']
    await sitesOn(dashboard, agent, ...domains)
    const targets = { site_ids: [1, 2, 3, 4, 5] }

    const id = await start(dashboard, { targets, parallel: 1, pause_after: 2 })
    const paused = await hasStatus(dashboard, id, 'paused')
    const before = await outcomes(dashboard, id)
    const asked = { dry_run: true }
    const refused = await dashboard.call('POST', `/api/bulk-operations/${id}/resume`, asked)
    const untouched = await outcomes(dashboard, id)
    const resumed = await dashboard.call('POST', `/api/bulk-operations/${id}/resume`)

    await hasStatus(dashboard, id, 'failed')
    expect(paused.reason).toBe('2 failures in a row, the last on bad3.example: No pool')
    expect(before.at(-1)).toBe('z.example waiting')
    expect(untouched).toEqual(before)
    expect(refused).toEqual({
      status: 422,
      body: {
        error: 'Validation failed',
        fields: { dry_run: ['This call has no plan'] },
      },
    })
    expect(resumed.body.bulk_operation).toMatchObject({ status: 'running', reason: '' })
    expect(await storedEvents(dashboard, id, 9)).toEqual([
      `10 log Paused: ${paused.reason}`,
      '11 log Resumed',
      '12 log z.example begins',
      '13 log z.example: done',
      '14 error 3 of 5 failed',
    ])
    expect(await dashboard.call('POST', `/api/bulk-operations/${id}/resume`)).toEqual({
      status: 409,
      body: { error: 'Conflict', message: 'The bulk operation is not paused' },
    })
  })

  test('is cancelled with all items: waiting ones do not start, running ones end', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const work = pools(agent)
    await sitesOn(dashboard, agent, 'slow.example', 'b.example', 'c.example')
    const id = await start(dashboard, { targets: { site_ids: [1, 2, 3] }, parallel: 1 })
    await until(() => work.running === 1)

    const answer = await dashboard.call('POST', `/api/bulk-operations/${id}/cancel`)

    const bulk = await hasStatus(dashboard, id, 'cancelled')
    const again = await dashboard.call('POST', `/api/bulk-operations/${id}/cancel`)
    expect(answer).toMatchObject({ status: 202, body: { bulk_operation: { status: 'cancelled' } } })
    expect(bulk.counts).toMatchObject({ cancelled: 3 })
    expect(await storedEvents(dashboard, id)).toEqual([
      '1 log pool.apply of 3 sites begins',
      '2 log slow.example begins',
      '3 log Cancelled: 2 were not started',
      '4 log slow.example: The operation was cancelled',
      '5 error The operation was cancelled',
    ])
    expect(work.started).toEqual(['slow'])
    expect(again).toEqual({
      status: 409,
      body: { error: 'Conflict', message: 'The bulk operation has ended already' },
    })
  })

  test('ends items by force that do not end on request', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.stubborn = true
    const work = pools(agent)
    await sitesOn(dashboard, agent, 'slow.example')
    const id = await start(dashboard, { targets: { site_ids: [1] } })
    await until(() => work.running === 1)

    await dashboard.call('POST', `/api/bulk-operations/${id}/cancel`)
    await until(() => agent.cancelled.length === 1)
    await dashboard.call('POST', `/api/bulk-operations/${id}/cancel`, { force: true })

    await hasStatus(dashboard, id, 'cancelled')
    const [item] = await items(dashboard, id)
    expect(item).toMatchObject({ status: 'cancelled', error: cancelled } as object)
    expect(agent.cancelled.map((wish) => wish.split(' ')[1])).toEqual(['graceful', 'forced'])
  })

  test('retries only failed and cancelled items', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    pools(agent)
    await sitesOn(dashboard, agent, 'a.example', 'bad.example')
    const first = await start(dashboard, { targets: { site_ids: [1, 2] }, parallel: 2 })
    await hasStatus(dashboard, first, 'failed')
    await dashboard.db.write((queries) =>
      queries.run("update sites set user = 'good' where domain = 'bad.example'"),
    )

    const again = `/api/bulk-operations/${first}/retry`
    const plan = await dashboard.call('POST', again, { dry_run: true })
    const { status, body } = await dashboard.call('POST', again)

    expect(plan).toEqual({
      status: 200,
      body: { targets: [{ server_id: 1, site_id: 2, domain: 'bad.example' }], skipped: [] },
    })
    const { id } = body.bulk_operation
    await hasStatus(dashboard, id, 'success')
    expect(status).toBe(202)
    expect(body.bulk_operation).toMatchObject({ params: { tier: 'large' }, parallel: 2 })
    expect(await outcomes(dashboard, id)).toEqual(['bad.example success'])
    expect((await storedEvents(dashboard, id)).at(-1)).toBe(
      '4 complete {"status":"ok","total":1,"success":1,"failed":0,"cancelled":0}',
    )
    expect(await dashboard.call('POST', `/api/bulk-operations/${id}/retry`)).toEqual({
      status: 409,
      body: { error: 'Conflict', message: 'The bulk operation succeeded' },
    })
  })

  test('waits for a busy site', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const work = pools(agent)
    const server = await sitesOn(dashboard, agent, 'slow.example', 'b.example')
    const body = { user: 'slow', php_version: '8.2', tier: 'small' }
    const single = dashboard.call('POST', `/api/servers/${server}/pool-apply`, body)
    await until(() => work.running === 1)

    const id = await start(dashboard, { targets: { site_ids: [1, 2] } })
    await until(async () => (await outcomes(dashboard, id)).includes('b.example success'))
    const meanwhile = await outcomes(dashboard, id)
    work.release()
    await single

    await hasStatus(dashboard, id, 'success')
    expect(meanwhile).toEqual(['slow.example waiting', 'b.example success'])
    expect(work.started).toEqual(['slow', 'b', 'slow'])
  })

  test('an item of an offline agent or a missing target fails immediately', async () => {
    await using dashboard = await makeDashboard()
    await sitesOn(dashboard, { port: 1 }, 'a.example', 'b.example')
    await dashboard.db.write((queries) => queries.run("update servers set status = 'offline'"))
    const targets = { site_ids: [1, 2] }
    const id = await start(dashboard, { targets, parallel: 1, pause_after: 1 })
    await hasStatus(dashboard, id, 'paused')
    await dashboard.db.write((queries) =>
      queries.run("delete from sites where domain = 'b.example'"),
    )
    await dashboard.call('POST', `/api/bulk-operations/${id}/resume`)

    await hasStatus(dashboard, id, 'failed')

    expect(await items(dashboard, id)).toMatchObject([
      {
        status: 'failed',
        operation_id: expect.any(String),
        error: {
          error: 'Agent offline',
          message: 'The agent on 127.0.0.1:1 refused the connection',
        },
      },
      {
        status: 'failed',
        operation_id: null,
        error: { error: 'Not found', message: 'Site not found' },
      },
    ] as object[])
  })

  test('continues in the next process without a repeated or lost item', async () => {
    await using agent = new FakeAgent()
    await using first = await makeDashboard()
    const work = pools(agent)
    await sitesOn(first, agent, 'slow.example', 'b.example', 'c.example')
    const id = await start(first, { targets: { site_ids: [1, 2, 3] }, parallel: 1 })
    await until(() => work.running === 1)
    await first.stop()
    await using second = await makeDashboard({ folder: first.folder })

    await second.deps.worker.resume()
    await second.deps.bulks.resume()
    work.release()

    await hasStatus(second, id, 'success')
    expect(work.started).toEqual(['slow', 'b', 'c'])
    expect([...agent.started.values()]).toEqual([1, 1, 1])
    expect(await storedEvents(second, id)).toHaveLength(8)
  })
})

const add = { name: 'purge', schedule: '0 3 * * *', command: 'wp cache flush' }
const stored = { ...add, max_minutes: 60, enabled: true }
const EITHER = 'Must have either add or remove'
const targets = { site_ids: [1, 2] }

/** What the agent is asked to do. */
function working(agent: FakeAgent, type: string, result: object) {
  const given: unknown[] = []
  agent.works.set(type, async function* (params) {
    given.push(params)
    yield 'Working'
    return { domain: params.domain, ...result }
  })
  return given
}

async function tokenOf(dashboard: Dashboard, scope: string) {
  const body = { name: scope, password: PASSWORD, scope }
  const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', body)).body
  return { cookie: '', authorization: `Bearer ${plaintext}` }
}

test('one cron job is added to many sites, and removed by its name', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example', 'b.example')
  const given = working(agent, 'site.jobs', { jobs: [] })

  const added = await start(dashboard, { type: 'site.jobs', params: { add }, targets, parallel: 1 })
  await hasStatus(dashboard, added, 'success')
  const params = { remove: 'purge' }
  const removed = await start(dashboard, { type: 'site.jobs', params, targets, parallel: 1 })
  await hasStatus(dashboard, removed, 'success')

  expect(given).toEqual([
    { domain: 'a.example', add: stored },
    { domain: 'b.example', add: stored },
    { domain: 'a.example', remove: 'purge' },
    { domain: 'b.example', remove: 'purge' },
  ])
})

test('the plan names each site that has another job of the name', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')
  const message = 'a.example has another job purge: "true" (@daily)'
  agent.answers.set('/exec', () => Response.json(bodyOf(conflict(message)), { status: 409 }))

  const call = { type: 'site.jobs', params: { add }, targets: { site_ids: [1] } }
  const asked = { ...call, dry_run: true, with_asks: true }
  const { body } = await dashboard.call('POST', '/api/bulk-operations', asked)

  expect(body.must_accept.asks).toEqual([
    {
      ...{ server_id: 1, site_id: 1, domain: 'a.example', effects: [] },
      error: { error: 'Conflict', message },
    },
  ])
})

test.each([
  [{}, [EITHER]],
  [{ add, remove: 'purge' }, [EITHER]],
  [{ jobs: [] }, ['Must not have jobs', EITHER]],
])('the call with %j is refused', async (params, messages) => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')

  const call = { type: 'site.jobs', params, targets: { site_ids: [1] } }
  const { status, body } = await dashboard.call('POST', '/api/bulk-operations', call)

  expect([status, body.fields]).toEqual([422, { params: messages }])
})

test('a cron job on many sites needs a token of the scope that it needs on one', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')
  const given = working(agent, 'site.jobs', { jobs: [] })
  const body = { type: 'site.jobs', params: { add }, targets: { site_ids: [1] } }
  const call = (path: string, headers: Record<string, string>, text: object) =>
    dashboard.call('POST', path, text, headers)

  const operate = await tokenOf(dashboard, 'operate')
  const refused = await call('/api/bulk-operations', operate, body)
  const admin = await tokenOf(dashboard, 'admin')
  const accepted = await call('/api/bulk-operations', admin, body)
  const { bulk_operation } = accepted.body
  await hasStatus(dashboard, bulk_operation.id, 'success')
  const again = await call(`/api/bulk-operations/${bulk_operation.id}/retry`, operate, {})
  const on = await call(`/api/bulk-operations/${bulk_operation.id}/resume`, operate, {})

  expect([refused.status, accepted.status, again.status, on.status]).toEqual([403, 202, 403, 403])
  expect(given).toHaveLength(1)
})

test('the debug log of many sites is on for a time, counted from the start of each', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example', 'b.example')
  const given = working(agent, 'wp.debug', { until: null })
  const from = Date.now()

  const on = await start(dashboard, { type: 'wp.debug', params: { hours: 8 }, targets })
  await hasStatus(dashboard, on, 'success')
  const off = await start(dashboard, { type: 'wp.debug', params: { hours: null }, targets })
  await hasStatus(dashboard, off, 'success')

  const until = expect.any(String)
  expect(given).toEqual([
    ...[expect.objectContaining({ until }), expect.objectContaining({ until })],
    ...[expect.objectContaining({ until: null }), expect.objectContaining({ until: null })],
  ])
  const ahead = given.slice(0, 2).map((params) => Date.parse(Object(params).until) - from)
  for (const ms of ahead) expect(Math.abs(ms - 8 * 3_600_000)).toBeLessThan(600_000)
})
