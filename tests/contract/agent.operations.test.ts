// tier: core
import { describe, expect, test } from 'bun:test'
import type { StoredEvent } from '#shared/sse.ts'
import { encodeEvent } from '#shared/sse.ts'
import { placeOperation } from '#tests/support/agent/place-operation.ts'
import { answerOf, eventsOf } from '#tests/support/client.ts'
import { agentRuntimes, temporaryFolder } from '#tests/support/processes.ts'
import { badRequest, checkRows, notFound, type Row } from '#tests/support/rows.ts'
import { useAgent } from '#tests/support/running.ts'

const scanned: StoredEvent[] = [
  { id: 1, event: 'log', data: { message: 'Reading\nthe site' } },
  { id: 2, event: 'log', data: { message: 'Reading the plugins' } },
  { id: 3, event: 'complete', data: { status: 'ok', wp_version: '6.6', plugins: [] } },
]
const wire = (from: number) => scanned.slice(from).map(encodeEvent).join('')
const scan = { command: 'wp.scan', params: { domain: 'shop.example' } }
const replay = (headers: Record<string, string> = {}) => ({
  path: '/operations/ended-1/events',
  headers,
})
const stream = {
  'content-type': /^text\/event-stream/,
  'cache-control': /no-store/,
  'operation-id': 'ended-1',
}
const attach = { method: 'POST', headers: { 'operation-id': 'ended-1' }, status: 200 }

const cancelled = encodeEvent({
  id: 1,
  event: 'error',
  data: { error: 'Conflict', message: 'The operation was cancelled' },
})

const rows: Row[] = [
  {
    sentence: 'Cancelling an operation that has its end changes nothing',
    method: 'POST',
    path: '/operations/ended-1/cancel',
    body: {},
    status: 202,
    answer: { ended: true },
  },
  {
    sentence: 'Cancelling an operation that is not known yet ends it before it begins',
    method: 'POST',
    path: '/operations/early-1/cancel',
    body: { force: true },
    status: 202,
    answer: { ended: true },
  },
  {
    sentence: 'Cancelling again says the same, also without a body',
    method: 'POST',
    path: '/operations/early-1/cancel',
    status: 202,
    answer: { ended: true },
  },
  {
    sentence: 'An operation that was cancelled before it came has that as its only event',
    method: 'POST',
    path: '/exec',
    body: scan,
    headers: { 'operation-id': 'early-1' },
    status: 200,
    answer: cancelled,
    answerHeaders: { 'operation-id': 'early-1' },
  },
  {
    sentence: 'A caller that asks for warnings gets the code of a failure, too',
    method: 'POST',
    path: '/exec?warnings=true',
    body: scan,
    headers: { 'operation-id': 'early-1' },
    status: 200,
    answer: cancelled.replace('cancelled"}', 'cancelled","code":"cancelled"}'),
    answerHeaders: { 'operation-id': 'early-1' },
  },
  {
    sentence: 'Its events can be read like those of any other',
    path: '/operations/early-1/events',
    status: 200,
    answer: cancelled,
  },
  {
    sentence: 'Cancelling takes true or false for force',
    method: 'POST',
    path: '/operations/ended-1/cancel',
    body: { force: 'yes' },
    status: 422,
    answer: { error: 'Validation failed', fields: { force: [expect.any(String)] } },
  },
  ...['a%00b', 'e'.repeat(300)].map((id) => ({
    sentence: `Cancelling under what is no id is 404: ${id.slice(0, 10)}`,
    method: 'POST',
    path: `/operations/${id}/cancel`,
    body: {},
    status: 404,
    answer: notFound('Operation'),
  })),
  {
    sentence: 'The events of an operation are id, event and one line of data each, then the end',
    ...replay(),
    status: 200,
    answer: wire(0),
    answerHeaders: stream,
  },
  {
    sentence: 'Last-Event-ID continues after the event that was seen',
    ...replay({ 'last-event-id': '1' }),
    status: 200,
    answer: wire(1),
    answerHeaders: stream,
  },
  {
    sentence: 'Last-Event-ID of the last event leaves nothing to tell',
    ...replay({ 'last-event-id': '3' }),
    status: 200,
    answer: '',
  },
  {
    sentence: 'Last-Event-ID beyond the last event leaves nothing to tell',
    ...replay({ 'last-event-id': '999' }),
    status: 200,
    answer: '',
  },
  ...['x', '-1', '1e1', '0x1', '1.5', ''].map((id) => ({
    sentence: `Last-Event-ID that is no number counts as none: ${JSON.stringify(id)}`,
    ...replay({ 'last-event-id': id }),
    status: 200,
    answer: wire(0),
  })),
  {
    sentence: 'The same command under a known Operation-Id attaches to that operation',
    ...attach,
    path: '/exec',
    body: scan,
    answer: wire(0),
    answerHeaders: stream,
  },
  {
    sentence: 'The same scan over its own path attaches to that operation too',
    ...attach,
    path: '/sites/wp-scan',
    body: { domain: 'SHOP.example.' },
    answer: wire(0),
    answerHeaders: stream,
  },
  {
    sentence: 'Attaching continues after Last-Event-ID',
    ...attach,
    path: '/exec',
    body: scan,
    headers: { 'operation-id': 'ended-1', 'last-event-id': '2' },
    answer: wire(2),
  },
  {
    sentence: 'Other work under a known Operation-Id is 409',
    ...attach,
    path: '/sites/wp-scan',
    body: { domain: 'other.example' },
    status: 409,
    answer: {
      error: 'Conflict',
      message: 'Operation ended-1 was started with other parameters',
    },
  },
  ...['', '../ended-1', 'a b', 'a/b', 'a'.repeat(65), 'a;b', 'é'].map((id) => ({
    sentence: `An Operation-Id that could not name a folder is 400: ${JSON.stringify(id)}`,
    method: 'POST',
    path: '/exec',
    body: scan,
    headers: { 'operation-id': id },
    status: 400,
    answer: badRequest('The Operation-Id header must have 1 to 64 of A-Z a-z 0-9 _ -'),
  })),
  ...[
    'nobody',
    '..%2foperations%2fended-1',
    'a%00b',
    'ended-1%20',
    '__proto__',
    'e'.repeat(300),
  ].map((id) => ({
    sentence: `The events of an operation that is not there are 404: ${id.slice(0, 30)}`,
    path: `/operations/${id}/events`,
    status: 404,
    answer: notFound('Operation'),
  })),
]

describe.each(agentRuntimes)('%s', (runtime) => {
  const { client } = useAgent(runtime, async () => {
    const AGENT_STATE_DIR = await temporaryFolder('operations')
    await placeOperation(AGENT_STATE_DIR, { id: 'ended-1', ...scan }, scanned)
    await placeOperation(AGENT_STATE_DIR, { id: 'cut-1', ...scan }, scanned.slice(0, 2))
    return { AGENT_STATE_DIR }
  })

  checkRows(client, rows)

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
    const readers = Array.from({ length: 30 }, () => client().open(replay()).then(answerOf))

    for (const { text } of await Promise.all(readers)) expect(text).toBe(wire(0))
  })
})
