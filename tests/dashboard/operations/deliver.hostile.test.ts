import { expect, test } from 'bun:test'
import { operations } from '#dashboard/db/schema.ts'
import { STREAM_HEADERS } from '#shared/sse.ts'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
} from '#tests/support/dashboard/dashboard.ts'

/** The second delivery would be after the deadline: there is one in each test. */
const limits = { deadline_ms: 1000, retry_min_ms: 2000, retry_max_ms: 2000 }
const event = (id: unknown, kind: string, data: string) =>
  `id: ${id}\nevent: ${kind}\ndata: ${data}\n\n`
const log = (id: unknown, message = 'a') => event(id, 'log', JSON.stringify({ message }))
const done = '{"status":"ok","service":"nginx"}'

/**
 * A dashboard whose agent answers this to a restart of nginx; `work` receives the answer of the
 * API.
 */
async function hearing<T>(
  stream: string,
  work: (answer: { status: number; body: unknown }, dashboard: Dashboard) => Promise<T>,
): Promise<T> {
  await using machine = new DisposableAgent()
  await using dashboard = await makeDashboard({ limits })
  const server = await dashboard.addServer(machine)
  machine.answers.set('/exec', () => new Response(stream, { headers: STREAM_HEADERS }))
  const path = `/api/servers/${server}/services/restart`
  return await work(await dashboard.call('POST', path, { service: 'nginx' }), dashboard)
}

async function operationIn(dashboard: Dashboard) {
  const [operation] = await dashboard.db.read.select().from(operations)
  if (!operation) throw new Error('There is no operation')
  return operation
}

/** Each recorded event, as `number kind data`. */
async function eventsIn(dashboard: Dashboard): Promise<string[]> {
  const { id } = await operationIn(dashboard)
  const text = await (await dashboard.send('GET', `/api/operations/${id}/events`)).text()
  const found = text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)$/gm)
  return [...found].map((match) => match.slice(1).join(' '))
}

test.each<[string, string, string[]]>([
  ['one end', event(1, 'complete', done), [`1 complete ${done}`]],
  ['an end three times', event(1, 'complete', done).repeat(3), [`1 complete ${done}`]],
  ['an event after the end', `${event(1, 'complete', done)}${log(2)}`, [`1 complete ${done}`]],
  [
    'an event twice',
    `${log(1)}${log(1, 'b')}${event(2, 'complete', done)}`,
    ['1 log {"message":"a"}', `2 complete ${done}`],
  ],
  [
    'a message that is no text',
    `${event(1, 'log', '{"message":{"__proto__":1}}')}${event(2, 'complete', done)}`,
    ['1 log {"message":""}', `2 complete ${done}`],
  ],
  [
    'HTML and control characters',
    `${log(1, '<b>\u001b[31m\u0000\n\nid: 9')}${event(2, 'complete', done)}`,
    ['1 log {"message":"<b>\\u001b[31m\\u0000\\n\\nid: 9"}', `2 complete ${done}`],
  ],
  [
    'a very long line',
    `${log(1, 'x'.repeat(100_000))}${event(2, 'complete', done)}`,
    [`1 log {"message":"${'x'.repeat(16_384)}"}`, `2 complete ${done}`],
  ],
  [
    'fields that nobody promised',
    event(1, 'complete', '{"status":"ok","service":"nginx","__proto__":{"a":1},"admin":true}'),
    [`1 complete ${done}`],
  ],
])('%s is recorded as one success', async (_, stream, events) => {
  await hearing(stream, async (answer, dashboard) => {
    expect(answer).toEqual({ status: 200, body: { status: 'ok', message: 'Restarted nginx' } })
    expect(await eventsIn(dashboard)).toEqual(events)
  })
})

const unpromised = {
  error: 'Internal error',
  message: 'The agent sent a result that is not what the command promises',
}
test.each<[string, string, object]>([
  ['a result in a prototype', event(1, 'complete', `{"__proto__":${done}}`), unpromised],
  ['no result', event(1, 'complete', '{}'), unpromised],
  [
    'a result of enormous size',
    event(1, 'complete', JSON.stringify({ status: 'ok', service: 'x'.repeat(100_000) })),
    unpromised,
  ],
  [
    'a failure of thousands of fields',
    event(
      1,
      'error',
      JSON.stringify({
        error: 'x',
        fields: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, ['y']])),
      }),
    ),
    { error: 'Internal error' },
  ],
  [
    'a failure in a prototype',
    event(1, 'error', '{"__proto__":{"error":"x"}}'),
    {
      error: 'Internal error',
    },
  ],
  [
    'a failure with HTML',
    event(1, 'error', '{"error":"<b>","message":"<script>"}'),
    { error: '<b>', message: '<script>' },
  ],
  [
    'a failure of enormous size',
    event(1, 'error', JSON.stringify({ error: 'x', message: 'y'.repeat(100_000) })),
    { error: 'x', message: 'y'.repeat(500) },
  ],
])('%s is recorded as one failure', async (_, stream, error) => {
  await hearing(stream, async (answer, dashboard) => {
    const { status, error: recorded } = await operationIn(dashboard)
    expect<unknown>({ status, recorded }).toEqual({ status: 'failed', recorded: error })
    expect(await eventsIn(dashboard)).toEqual([`1 error ${JSON.stringify(error)}`])
    expect(answer.status).toBe(500)
  })
})

const malformed = 'The agent sent a malformed event'
const lost = 'The connection to the agent was lost'
test.each<[string, string, string]>([
  ['a gap', log(2), 'The agent skipped an event'],
  ['an event before the first', log(0), malformed],
  ['an event with half a number', log(1.5), malformed],
  ['an event without a number', log(''), malformed],
  ['an event of another kind', event(1, 'end', '{}'), malformed],
  ['an event of the kind of a prototype', event(1, '__proto__', '{}'), malformed],
  ['an event that is a list', event(1, 'log', '[]'), malformed],
  ['an event that is no JSON', event(1, 'log', '{'), malformed],
  ['an event that never ends', `data: ${'x'.repeat(3 << 20)}`, malformed],
  ['nothing', '', lost],
  ['nothing but comments', ': ping\n\n'.repeat(1000), lost],
  ['no end', `${log(1)}${log(2)}`, lost],
])('%s is not an outcome, and the reason is reported', async (_, stream, message) => {
  await hearing(stream, async (answer, dashboard) => {
    const why = 'its agent may have done the work, and did not answer before the deadline'
    const text = `${message}. The result is unknown: ${why}`
    const failure = { error: 'Agent offline', message: text }
    const { status, error } = await operationIn(dashboard)
    expect(answer).toEqual({ status: 503, body: failure })
    expect({ status, error }).toEqual({
      status: 'failed',
      error: { ...failure, code: 'result_unknown' },
    })
    expect((await eventsIn(dashboard)).at(-1)).toMatch(/^\d+ error /)
  })
})
