import { expect, test as plainTest } from 'bun:test'
import { deleteExpired } from '#dashboard/kernel/db/retention.ts'
import { operation_steps } from '#dashboard/kernel/db/steps-schema.ts'
import { followEvents } from '#dashboard/kernel/engine/follow-events.ts'
import { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { encodeEvent, STREAM_HEADERS, type StoredEvent } from '#shared/kernel/sse.ts'
import {
  type Dashboard,
  makeDashboard,
  agentTest as test,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const line = (id: number): StoredEvent => ({ id, event: 'log', data: { message: `line ${id}` } })

/** A viewer of one operation, how often it read the records, and the pauses that it wanted. */
function viewer(is_shared: boolean) {
  const bus = new Bus()
  const stored: StoredEvent[] = []
  const pauses: number[] = []
  const counts = { reads: 0 }
  const sleep = (ms: number) => {
    pauses.push(ms)
    return new Promise<void>(() => undefined)
  }
  const source = {
    key: 'one',
    async list(after: number) {
      counts.reads += 1
      return stored.filter(({ id }) => id > after)
    },
    isOver: async () => false,
  }
  const deps = { db: { is_shared }, bus, clock: { sleep } } as never
  const events = followEvents(deps, source, 0, new AbortController().signal)
  return { bus, stored, pauses, counts, events }
}

plainTest.each([
  ['alone, a dashboard reads again only what it has stored', false, 30_000],
  ['one of several dashboards also looks for what others have stored', true, 2_000],
])('%s', async (_, is_shared, pause_ms) => {
  const { bus, stored, pauses, counts, events } = viewer(is_shared)
  stored.push(line(1))
  expect((await events.next()).value).toEqual(line(1))

  const next = events.next()
  await Bun.sleep(5)
  expect([counts.reads, pauses]).toEqual([2, [pause_ms]])
  stored.push(line(2))
  bus.notify('one')

  expect((await next).value).toEqual(line(2))
  expect(counts.reads).toBe(3)
})

const limits = { retry_min_ms: 5, retry_max_ms: 20 }

const stateOf = (id: number, name: string, state: string): StoredEvent => ({
  id,
  event: 'step',
  data: { name, title: `Making ${name}`, state },
})

const log = (id: number, message: string): StoredEvent => ({ id, event: 'log', data: { message } })
const done = { status: 'ok', service: 'nginx' }

const events = [
  ...[stateOf(0, 'a', 'waiting'), stateOf(0, 'b', 'waiting'), stateOf(0, 'a', 'running')],
  ...[log(1, 'Making a'), stateOf(1, 'a', 'done'), stateOf(1, 'b', 'running')],
  ...[log(2, 'Making b'), stateOf(2, 'b', 'done')],
  { id: 3, event: 'complete', data: done } satisfies StoredEvent,
]

const wire = (sent: readonly StoredEvent[]) => sent.map(encodeEvent).join('')

/** Starts an operation whose agent answers with these, one after the other. */
async function start(
  dashboard: Dashboard,
  agent: FakeAgent,
  answers: readonly (readonly StoredEvent[])[],
): Promise<{ id: string; asked: (string | null)[] }> {
  const server = await dashboard.addServer(agent)
  const asked: (string | null)[] = []
  agent.answers.set('/exec', (request) => {
    asked.push(request.headers.get('last-event-id'))
    const sent = answers[Math.min(asked.length, answers.length) - 1] ?? []
    return new Response(wire(sent), { headers: STREAM_HEADERS })
  })
  const path = `/api/servers/${server}/services/restart`
  await dashboard.call('POST', path, { service: 'nginx' })
  const [operation] = await dashboard.db.read.query.operations.findMany()
  const id = operation?.id ?? ''
  await ended(dashboard, id)
  return { id, asked }
}

async function stream(dashboard: Dashboard, id: string, query = '', last = 0): Promise<string> {
  const headers = last > 0 ? { 'last-event-id': String(last) } : {}
  const path = `/api/operations/${id}/events${query}`
  const text = await (await dashboard.send('GET', path, undefined, headers)).text()
  return text.replaceAll(': ping\n\n', '')
}

test('everybody who asks sees the steps, and nobody else does', async ({ agent, dashboard }) => {
  const { id } = await start(dashboard, agent, [events])

  const numbered = events.filter(({ event }) => event !== 'step')
  expect(await stream(dashboard, id)).toBe(wire(numbered))
  expect(await stream(dashboard, id, '?steps=false')).toBe(wire(numbered))
  expect(await stream(dashboard, id, '?steps=true')).toBe(wire(events))
  expect(await stream(dashboard, id, '?steps=true', 1)).toBe(wire(events.slice(4)))
  expect(await stream(dashboard, id, '?steps=true', 3)).toBe('')
})

test('a connection that breaks leaves each change of a step once', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard({ limits })

  const { id, asked } = await start(dashboard, agent, [events.slice(0, 5), events.slice(4)])

  expect(asked).toEqual([null, '1'])
  expect(await stream(dashboard, id, '?steps=true')).toBe(wire(events))
})

test('an agent that sends no steps leaves a log alone', async ({ agent, dashboard }) => {
  const numbered = events.filter(({ event }) => event !== 'step')

  const { id } = await start(dashboard, agent, [numbered])

  expect(await stream(dashboard, id, '?steps=true')).toBe(wire(numbered))
})

test('a hostile agent stores at most a thousand changes, and none that is not one', async ({
  agent,
  dashboard,
}) => {
  const endless = Array.from({ length: 3000 }, (_, at) => stateOf(0, `step ${at}`, 'waiting'))
  const strange = [stateOf(0, 'a', 'exploded'), stateOf(0, '', 'done')]

  await start(dashboard, agent, [[...strange, ...endless, ...events.slice(3)]])

  const rows = await dashboard.db.read.select().from(operation_steps)
  expect(rows).toHaveLength(1000)
  expect(rows.map(({ name }) => name)).toEqual(
    Array.from({ length: 1000 }, (_, at) => `step ${at}`),
  )
})

test('steps are deleted with the events of their operation', async ({ agent, dashboard }) => {
  await start(dashboard, agent, [events])
  const [operation] = await dashboard.db.read.query.operations.findMany()
  const later = Date.parse(operation?.finished_at ?? '') + 31 * 24 * 3600_000

  await deleteExpired(dashboard.db, new Date(later))

  expect(await dashboard.db.read.select().from(operation_steps)).toEqual([])
  expect(await dashboard.db.read.query.operations.findMany()).toHaveLength(1)
})

test('a view of a running operation gets steps as they change', async ({ agent, dashboard }) => {
  const server = await dashboard.addServer(agent)
  const held = Promise.withResolvers<void>()
  agent.answers.set('/exec', () => {
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(wire(events.slice(0, 4)))
        await held.promise
        controller.enqueue(wire(events.slice(4)))
        controller.close()
      },
    }).pipeThrough(new TextEncoderStream())
    return new Response(body, { headers: STREAM_HEADERS })
  })
  const path = `/api/servers/${server}/services/restart`
  void dashboard.call('POST', path, { service: 'nginx' })
  const operation = await until(async () => {
    const [row] = await dashboard.db.read.select().from(operation_steps)
    return row
  })
  const id = operation.operation_id
  const response = await dashboard.send('GET', `/api/operations/${id}/events?steps=true`)
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('Making a"}')) held.resolve()
  }

  expect(text.replaceAll(': ping\n\n', '')).toBe(wire(events))
})

test('?steps takes true or false', async ({ agent, dashboard }) => {
  const { id } = await start(dashboard, agent, [events])

  const { status, body } = await dashboard.call('GET', `/api/operations/${id}/events?steps=1`)

  expect([status, body]).toEqual([
    422,
    { error: 'Validation failed', fields: { steps: ['Must be true or false'] } },
  ])
})

test('a call that starts an operation streams its steps on request only', async () => {
  await using agent = new FakeAgent()
  const tested = { id: 3, event: 'complete', data: { status: 'ok', answer: '250' } } as const
  const sent: StoredEvent[] = [...events.slice(0, -1), tested]
  agent.answers.set('/exec', () => new Response(wire(sent), { headers: STREAM_HEADERS }))
  await using dashboard = await makeDashboard({ limits })
  const server = await dashboard.addServer(agent)
  const streamed = async (query: string) => {
    const path = `/api/servers/${server}/mail/test${query}`
    const response = await dashboard.send('POST', path, { to: 'admin@example.com' })
    return (await response.text()).replaceAll(': ping\n\n', '')
  }

  expect(await streamed('?steps=true')).toBe(wire(sent))
  expect(await streamed('')).toBe(wire(sent.filter(({ event }) => event !== 'step')))
})
