// tier: core
import { describe, expect, test } from 'bun:test'
import { encodeEvent, type StoredEvent } from '#shared/kernel/sse.ts'
import { placeOperation } from '#tests/support/agent/place-operation.ts'
import { eventsOf } from '#tests/support/client.ts'
import { runtimesOf, temporaryFolder } from '#tests/support/processes.ts'
import { type Row, row } from '#tests/support/rows.ts'
import { useAgent } from '#tests/support/running.ts'

const stateOf = (id: number, state: string): StoredEvent => ({
  id,
  event: 'step',
  data: { name: 'read', title: 'Reading the site', state },
})
const log: StoredEvent[] = [
  { id: 1, event: 'log', data: { message: 'Reading the site' } },
  { id: 2, event: 'log', data: { message: 'Reading the plugins' } },
  { id: 3, event: 'complete', data: { status: 'ok', plugins: [] } },
]
const events = [
  ...[stateOf(0, 'waiting'), stateOf(0, 'running')],
  ...[...log.slice(0, 2), stateOf(2, 'done'), ...log.slice(2)],
]
const wire = (sent: readonly StoredEvent[]) => sent.map(encodeEvent).join('')
const scan = { command: 'wp.scan', params: { domain: 'shop.example' } }

const rows: Row[] = [
  row('A stream without the parameter has no step')
    .get('/operations/ended-1/events')
    .answers(200, wire(log)),
  row('A stream with steps begins with those to come')
    .get('/operations/ended-1/events?steps=true')
    .answers(200, wire(events)),
  row('Attaching to an operation gives its steps in the same way')
    .post('/exec?steps=true', scan, { 'operation-id': 'ended-1' })
    .answers(200, wire(events)),
  row('Attaching without the parameter gives none')
    .post('/exec?steps=1', scan, { 'operation-id': 'ended-1' })
    .answers(200, wire(log)),
  row('Last-Event-ID repeats the steps since that event')
    .get('/operations/ended-1/events?steps=true', { 'last-event-id': '2' })
    .answers(200, wire(events.slice(4))),
]

describe.each(runtimesOf('agent.steps'))('%s', (runtime) => {
  const { client } = useAgent(runtime, async () => {
    const AGENT_STATE_DIR = await temporaryFolder('steps')
    await placeOperation(AGENT_STATE_DIR, { id: 'ended-1', ...scan }, events)
    await placeOperation(AGENT_STATE_DIR, { id: 'cut-1', ...scan }, events.slice(0, 4))
    return { AGENT_STATE_DIR }
  })

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test('a step that a restart of the agent interrupted is reported as failed', async () => {
    const { text } = await client().get('/operations/cut-1/events?steps=true')

    const found = eventsOf(text)
    expect(found.slice(0, 4)).toEqual(events.slice(0, 4))
    expect(found.slice(4)).toEqual([
      { id: 3, event: 'log', data: { message: expect.stringContaining('restarted') } },
      stateOf(3, 'failed'),
      {
        id: 4,
        event: 'error',
        data: { error: 'Internal error', message: expect.stringContaining('restarted') },
      },
    ])
  })
})
