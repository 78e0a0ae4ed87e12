// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { BulkItemView, BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import { eventsOf } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { hostileTiers, noText } from '#tests/support/hostile.ts'
import { failed, failedOn, notFound, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
const idOf = (body: unknown) => (body as { bulk_operation: { id: string } }).bulk_operation.id
const valid = {
  type: 'pool.apply',
  params: { tier: 'large' },
  targets: { site_ids: [1, 2] },
  parallel: 1,
}

/** Each field of a call, and what it cannot be. */
const HOSTILE: Record<string, readonly unknown[]> = {
  type: [...noText, undefined, 'site.create', 'site.purge', 'wp.scan', '__proto__', 'pool.apply '],
  params: ['x', 7, [], [{ tier: 'large' }]],
  targets: [
    ...[undefined, null, 'all', 7, [], [1], {}],
    ...[['1'], [0], [-1], [1.5], [null], [1e300], 1, '1', null].map((site_ids) => ({ site_ids })),
    ...[[9], ['1 or 1=1']].map((server_ids) => ({ server_ids })),
    ...['', ' ', 'x'.repeat(33), 7, null, "' or 1=1 --", '%'].map((tag) => ({ tag })),
    { site_ids: Array.from({ length: 10_001 }, (_, at) => at + 1) },
  ],
  parallel: [0, 21, -1, 1.5, '4', null, [], true],
  pause_after: [0, -1, 10_001, 1.5, '3', null, {}, false],
}

describe('bulk operations', () => {
  const agent = new FakeAgent()
  const { client } = useDashboard()
  beforeAll(async () => {
    agent.works.set('pool.apply', async function* ({ tier }) {
      yield 'Applying'
      return { tier }
    })
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
    for (const domain of ['a.example', 'b.example']) {
      const body = { domain, php: '8.2', tls: 'none' }
      const made = await client().post('/api/servers/1/sites', body)
      await client().get(`/api/operations/${made.headers.get('operation-id')}/events`)
    }
  })

  test('is recorded completely: the call, each item, the events, the list', async () => {
    const answer = await client().post('/api/bulk-operations', valid)

    const id = idOf(answer.body)
    const { text } = await client().get(`/api/bulk-operations/${id}/events`)
    const { body } = await client().get(`/api/bulk-operations/${id}`)
    const items = (await client().get(`/api/bulk-operations/${id}/items`)).body as {
      items: unknown[]
    }
    const [first, second] = items.items.map((item) => BulkItemView.parse(item))
    const view = {
      ...{ id, type: 'pool.apply', params: { tier: 'large' }, reason: '' },
      ...{ parallel: 1, pause_after: 3, created_at: time },
    }
    expect(answer.status).toBe(202)
    expect(
      BulkOperationView.parse((answer.body as { bulk_operation: unknown }).bulk_operation),
    ).toMatchObject(view)
    const counts = {
      total: 2,
      waiting: 0,
      running: 0,
      success: 2,
      failed: 0,
      cancelled: 0,
      skipped: 0,
    }
    const whole = { ...view, status: 'success', finished_at: time, counts }
    expect(body).toEqual({ bulk_operation: whole })
    expect(
      (await client().get('/api/bulk-operations?status=success,failed&active=false')).body,
    ).toEqual({ bulk_operations: [whole] })
    const item = { server_id: 1, status: 'success', error: null }
    expect([first, second]).toEqual([
      { ...item, position: 1, site_id: 1, domain: 'a.example', operation_id: expect.any(String) },
      { ...item, position: 2, site_id: 2, domain: 'b.example', operation_id: expect.any(String) },
    ] as never)
    const [a, b] = [first, second].map((each) => {
      const { position, domain, operation_id } = each ?? {}
      return { position, domain, operation_id }
    })
    const log = (number: number, data: object) => ({ id: number, event: 'log', data })
    expect(eventsOf(text)).toEqual([
      log(1, { message: 'pool.apply of 2 sites begins', status: 'running' }),
      log(2, { message: 'a.example begins', ...a, status: 'running' }),
      log(3, { message: 'a.example: done', ...a, status: 'success' }),
      log(4, { message: 'b.example begins', ...b, status: 'running' }),
      log(5, { message: 'b.example: done', ...b, status: 'success' }),
      {
        id: 6,
        event: 'complete',
        data: { status: 'ok', total: 2, success: 2, failed: 0, cancelled: 0 },
      },
    ])
    const rest = { path: `/api/bulk-operations/${id}/events`, headers: { 'last-event-id': '4' } }
    expect(eventsOf((await client().send(rest)).text).map((event) => event.id)).toEqual([5, 6])
    const path = `/api/bulk-operations/${id}/items`
    expect((await client().get(`${path}?after=1`)).body).toEqual({ items: [second] })
    expect((await client().get(`${path}?status=failed,waiting`)).body).toEqual({ items: [] })
  })

  for (const [field, values] of Object.entries(HOSTILE)) {
    test(`a hostile ${field} is 422 on it and starts nothing`, async () => {
      const before = (await client().get('/api/bulk-operations')).body
      for (const value of values) {
        const answer = await client().post('/api/bulk-operations', { ...valid, [field]: value })

        const { status, body } = answer
        expect({ value, status, body }).toEqual({ value, status: 422, body: failedOn(field) })
      }

      expect((await client().get('/api/bulk-operations')).body).toEqual(before)
    })
  }

  test('the fields of the operation are checked under their own names', async () => {
    for (const tier of [...hostileTiers, ...noText])
      expect(await client().post('/api/bulk-operations', { ...valid, params: { tier } })).toAnswer({
        status: 422,
        answer: failedOn('tier'),
      })
    const restart = { type: 'service.restart', targets: { server_ids: [1] } }
    const call = { ...restart, params: { service: 'nginx;id' } }
    expect(await client().post('/api/bulk-operations', call)).toAnswer({
      status: 422,
      answer: failed({ service: ['Must be nginx, mariadb or php-fpm:<user>'] }),
    })
  })

  test.each([
    ...['', '/items', '/events'].map((call) =>
      row(`GET of one that is not there is 404: ${call}`)
        .get(`/api/bulk-operations/none${call}`)
        .answers(404, notFound('Bulk operation')),
    ),
    ...['cancel', 'resume', 'retry'].map((call) =>
      row(`${call} of one that is not there is 404`)
        .post(`/api/bulk-operations/none/${call}`)
        .answers(404, notFound('Bulk operation')),
    ),
    ...['limit=0', 'status=x', 'status=', 'active=1', 'type=x', 'before=x'].map((query) =>
      row(`A filter that is none is 422 on it: ${query}`)
        .get(`/api/bulk-operations?${query}`)
        .answers(422, failedOn(query.split('=')[0] ?? '')),
    ),
  ])('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })
})
