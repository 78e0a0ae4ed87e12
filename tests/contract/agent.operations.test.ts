// tier: core
import { describe, expect, test } from 'bun:test'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import { encodeEvent } from '#shared/kernel/sse.ts'
import { placeOperation } from '#tests/support/agent/place-operation.ts'
import { answerOf, eventsOf } from '#tests/support/client.ts'
import { runtimesOf, temporaryFolder } from '#tests/support/processes.ts'
import { badRequest, notFound, type Row, row } from '#tests/support/rows.ts'
import { useAgent } from '#tests/support/running.ts'

const scanned: StoredEvent[] = [
  { id: 1, event: 'log', data: { message: 'Reading\nthe site' } },
  { id: 2, event: 'log', data: { message: 'Reading the plugins' } },
  { id: 3, event: 'complete', data: { status: 'ok', wp_version: '6.6', plugins: [] } },
]
const wire = (from: number) => scanned.slice(from).map(encodeEvent).join('')
const scan = { command: 'wp.scan', params: { domain: 'shop.example' } }
const ENDED = '/operations/ended-1/events'
const stream = {
  'content-type': /^text\/event-stream/,
  'cache-control': /no-store/,
  'operation-id': 'ended-1',
}
const ended = { 'operation-id': 'ended-1' }

const cancelled = encodeEvent({
  id: 1,
  event: 'error',
  data: { error: 'Conflict', message: 'The operation was cancelled' },
})

const rows: Row[] = [
  row('Cancelling an operation that has its end changes nothing')
    .post('/operations/ended-1/cancel', {})
    .answers(202, { ended: true }),
  row('Cancelling an operation that is not known yet ends it before it begins')
    .post('/operations/early-1/cancel', { force: true })
    .answers(202, { ended: true }),
  row('Cancelling again says the same, also without a body')
    .post('/operations/early-1/cancel')
    .answers(202, { ended: true }),
  row('An operation that was cancelled before it came has that as its only event')
    .post('/exec', scan, { 'operation-id': 'early-1' })
    .answers(200, cancelled, { 'operation-id': 'early-1' }),
  row('A caller that asks for warnings gets the code of a failure, too')
    .post('/exec?warnings=true', scan, { 'operation-id': 'early-1' })
    .answers(200, cancelled.replace('cancelled"}', 'cancelled","code":"cancelled"}'), {
      'operation-id': 'early-1',
    }),
  row('Its events can be read like those of any other')
    .get('/operations/early-1/events')
    .answers(200, cancelled),
  row('Cancelling takes true or false for force')
    .post('/operations/ended-1/cancel', { force: 'yes' })
    .answers(422, { error: 'Validation failed', fields: { force: [expect.any(String)] } }),
  ...['a%00b', 'e'.repeat(300)].map((id) =>
    row(`Cancelling under what is no id is 404: ${id.slice(0, 10)}`)
      .post(`/operations/${id}/cancel`, {})
      .answers(404, notFound('Operation')),
  ),
  row('The events of an operation are id, event and one line of data each, then the end')
    .get(ENDED)
    .answers(200, wire(0), stream),
  row('Last-Event-ID continues after the event that was seen')
    .get(ENDED, { 'last-event-id': '1' })
    .answers(200, wire(1), stream),
  row('Last-Event-ID of the last event leaves nothing to tell')
    .get(ENDED, { 'last-event-id': '3' })
    .answers(200, ''),
  row('Last-Event-ID beyond the last event leaves nothing to tell')
    .get(ENDED, { 'last-event-id': '999' })
    .answers(200, ''),
  ...['x', '-1', '1e1', '0x1', '1.5', ''].map((id) =>
    row(`Last-Event-ID that is no number counts as none: ${JSON.stringify(id)}`)
      .get(ENDED, { 'last-event-id': id })
      .answers(200, wire(0)),
  ),
  row('The same command under a known Operation-Id attaches to that operation')
    .post('/exec', scan, ended)
    .answers(200, wire(0), stream),
  row('The same scan over its own path attaches to that operation too')
    .post('/sites/wp-scan', { domain: 'SHOP.example.' }, ended)
    .answers(200, wire(0), stream),
  row('Attaching continues after Last-Event-ID')
    .post('/exec', scan, { ...ended, 'last-event-id': '2' })
    .answers(200, wire(2)),
  row('Other work under a known Operation-Id is 409')
    .post('/sites/wp-scan', { domain: 'other.example' }, ended)
    .answers(409, {
      error: 'Conflict',
      message: 'Operation ended-1 was started with other parameters',
    }),
  ...['', '../ended-1', 'a b', 'a/b', 'a'.repeat(65), 'a;b', 'é'].map((id) =>
    row(`An Operation-Id that could not name a folder is 400: ${JSON.stringify(id)}`)
      .post('/exec', scan, { 'operation-id': id })
      .answers(400, badRequest('The Operation-Id header must have 1 to 64 of A-Z a-z 0-9 _ -')),
  ),
  ...[
    'nobody',
    '..%2foperations%2fended-1',
    'a%00b',
    'ended-1%20',
    '__proto__',
    'e'.repeat(300),
  ].map((id) =>
    row(`The events of an operation that is not there are 404: ${id.slice(0, 30)}`)
      .get(`/operations/${id}/events`)
      .answers(404, notFound('Operation')),
  ),
]

describe.each(runtimesOf('agent.operations'))('%s', (runtime) => {
  const { client } = useAgent(runtime, async () => {
    const AGENT_STATE_DIR = await temporaryFolder('operations')
    await placeOperation(AGENT_STATE_DIR, { id: 'ended-1', ...scan }, scanned)
    await placeOperation(AGENT_STATE_DIR, { id: 'cut-1', ...scan }, scanned.slice(0, 2))
    return { AGENT_STATE_DIR }
  })

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test('an operation that a crash interrupted has one error event after the restart', async () => {
    const { status, text } = await client().get('/operations/cut-1/events')

    const events = eventsOf(text)
    expect(status).toBe(200)
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
    expect(events.slice(0, 2)).toEqual(scanned.slice(0, 2))
    expect(events.filter(({ event }) => event !== 'log')).toEqual([
      {
        id: events.length,
        event: 'error',
        data: { error: 'Internal error', message: expect.stringContaining('restarted') },
      },
    ])
  })

  test('a failure before the first event leaves the Operation-Id free', async () => {
    const headers = { 'operation-id': 'free-1' }
    const first = { method: 'POST', path: '/sites/wp-scan', headers, body: { domain: 'a.example' } }
    const second = { ...first, body: { domain: 'b.example' } }

    expect((await client().send(first)).body).toEqual(notFound('Site a.example'))
    expect((await client().send(second)).body).toEqual(notFound('Site b.example'))
    expect((await client().get('/operations/free-1/events')).status).toBe(404)
  })

  test('thirty concurrent readers get the same events', async () => {
    const readers = Array.from({ length: 30 }, () => client().open({ path: ENDED }).then(answerOf))

    for (const { text } of await Promise.all(readers)) expect(text).toBe(wire(0))
  })
})
