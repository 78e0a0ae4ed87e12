// tier: gate
import { expect, setDefaultTimeout, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { operation_events, operations } from '#dashboard/kernel/db/schema.ts'
import { encodeEvent, STREAM_HEADERS } from '#shared/kernel/sse.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { inTurn } from '#tests/support/turns.ts'

const patient = {
  deadline_ms: 60_000,
  retry_min_ms: 5,
  retry_max_ms: 20,
  response_timeout_ms: 110_000,
}
const done = { status: 'ok', service: 'nginx' }
const encoder = new TextEncoder()

type Chunks = Generator<string> | AsyncGenerator<string>

/** Lines without end, each of `size` characters. */
function* lines(count: number, size: number): Generator<string> {
  const message = 'x'.repeat(size)
  for (let id = 1; id <= count; id++) yield encodeEvent({ id, event: 'log', data: { message } })
}

function* then(first: Iterable<string>, id: number): Generator<string> {
  yield* first
  yield encodeEvent({ id, event: 'complete', data: done })
}

/**
 * What an operation of which the agent streams `answer` leaves recorded; one stream for each try.
 */
async function outcomeOf(
  answers: readonly (() => Chunks)[],
  more: Partial<Dashboard['deps']['limits']> = {},
) {
  await using machine = new FakeAgent()
  await using dashboard = await makeDashboard({ limits: { ...patient, ...more } })
  const server = await dashboard.addServer(machine)
  const left = [...answers]
  machine.answers.set('/exec', () => {
    const chunks = left.length > 1 ? left.shift() : left[0]
    return new Response(streamOf(chunks?.() ?? lines(0, 0)), { headers: STREAM_HEADERS })
  })
  const path = `/api/servers/${server}/services/restart`
  await dashboard.call('POST', path, { service: 'nginx' })
  return await stored(dashboard)
}

async function stored({ db }: Dashboard) {
  const [operation] = await db.read.select().from(operations)
  const { id, event, data } = operation_events
  const [sums] = await db.read
    .select({
      lines: sql<number>`count(*)`,
      last: sql<number>`max(id)`,
      bytes: sql<number>`sum(length(cast(data as blob)))`,
    })
    .from(operation_events)
    .where(eq(event, 'log'))
  const ends = await db.read
    .select({ id, event, data })
    .from(operation_events)
    .orderBy(sql`id desc`)
    .limit(2)
  const { status, error } = operation ?? {}
  return { status, error, ...sums, ends: ends.reverse() }
}

function streamOf(chunks: Chunks): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}

setDefaultTimeout(120_000)

/** The second delivery would be after the deadline: there is one in each test. */
const limits = { deadline_ms: 1000, retry_min_ms: 2000, retry_max_ms: 2000 }

const event = (id: unknown, kind: string, data: string) =>
  `id: ${id}\nevent: ${kind}\ndata: ${data}\n\n`

const log = (id: unknown, message = 'a') => event(id, 'log', JSON.stringify({ message }))
const completion = JSON.stringify(done)

/**
 * A dashboard whose agent answers this to a restart of nginx; `work` receives the answer of the
 * API.
 */
async function hearing<T>(
  stream: string,
  work: (answer: { status: number; body: unknown }, dashboard: Dashboard) => Promise<T>,
): Promise<T> {
  await using machine = new FakeAgent()
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
  ['one end', event(1, 'complete', completion), [`1 complete ${completion}`]],
  ['an end three times', event(1, 'complete', completion).repeat(3), [`1 complete ${completion}`]],
  [
    'an event after the end',
    `${event(1, 'complete', completion)}${log(2)}`,
    [`1 complete ${completion}`],
  ],
  [
    'an event twice',
    `${log(1)}${log(1, 'b')}${event(2, 'complete', completion)}`,
    ['1 log {"message":"a"}', `2 complete ${completion}`],
  ],
  [
    'a message that is no text',
    `${event(1, 'log', '{"message":{"__proto__":1}}')}${event(2, 'complete', completion)}`,
    ['1 log {"message":""}', `2 complete ${completion}`],
  ],
  [
    'HTML and control characters',
    `${log(1, '<b>\u001b[31m\u0000\n\nid: 9')}${event(2, 'complete', completion)}`,
    ['1 log {"message":"<b>\\u001b[31m\\u0000\\n\\nid: 9"}', `2 complete ${completion}`],
  ],
  [
    'a very long line',
    `${log(1, 'x'.repeat(100_000))}${event(2, 'complete', completion)}`,
    [`1 log {"message":"${'x'.repeat(16_384)}"}`, `2 complete ${completion}`],
  ],
  [
    'fields that nobody promised',
    event(1, 'complete', '{"status":"ok","service":"nginx","__proto__":{"a":1},"admin":true}'),
    [`1 complete ${completion}`],
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
  ['a result in a prototype', event(1, 'complete', `{"__proto__":${completion}}`), unpromised],
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

const tooMuch = {
  error: 'Internal error',
  message: 'The agent sent more than 50,000 events or 32 MiB for one operation',
}

function* forever(chunk: string): Generator<string> {
  for (;;) yield chunk
}

const line = encodeEvent({ id: 1, event: 'log', data: { message: 'x' } })

const ENDLESS: [string, () => Chunks, number][] = [
  ['lines', () => lines(Number.POSITIVE_INFINITY, 10), 20_001],
  ['long lines', () => lines(Number.POSITIVE_INFINITY, 16_384), 257],
  ['the same event', () => forever(line.repeat(100)), 2],
  ['comments', () => forever(': ping\n\n'.repeat(1000)), 1],
  ['empty lines', () => forever('\n'.repeat(10_000)), 1],
]

test.each(inTurn(ENDLESS, 'endless answers'))(
  'fails an operation whose agent sends endless %s',
  async (_, endless, last) => {
    const { status, error, ends } = await outcomeOf([endless])

    expect<unknown>({ status, error }).toEqual({ status: 'failed', error: tooMuch })
    expect<unknown>(ends.at(-1)).toEqual({ id: last, event: 'error', data: tooMuch })
  },
)

test('fails an operation whose agent breaks off again and again after thousands of events', async () => {
  const { status, error } = await outcomeOf([
    () => [line.repeat(5000)][Symbol.iterator]() as Chunks,
  ])

  expect<unknown>({ status, error }).toEqual({ status: 'failed', error: tooMuch })
})

test('fails an operation that exceeds the time limit, whatever its agent sends', async () => {
  async function* slowly() {
    for (let id = 1; ; id++) {
      yield encodeEvent({ id, event: 'log', data: { message: 'x' } })
      await Bun.sleep(5)
    }
  }

  const { status, error, ends } = await outcomeOf([slowly], { longest_ms: 100 })

  const tooLong = { error: 'Internal error', message: 'The operation exceeded the time limit' }
  expect<unknown>({ status, error }).toEqual({
    status: 'failed',
    error: { ...tooLong, code: 'timed_out' },
  })
  expect(ends.at(-1)).toMatchObject({ event: 'error', data: tooLong })
})

const note = 'The rest of the output is omitted: an operation keeps 20,000 lines and 4 MiB'
const size = (message: string) => JSON.stringify({ message }).length

test('keeps 20,000 lines of an operation, and the last says that the rest is omitted', async () => {
  const record = await outcomeOf([() => then(lines(30_000, 1), 30_001)])

  expect<unknown>(record).toEqual({
    status: 'success',
    error: null,
    lines: 20_000,
    last: 20_000,
    bytes: 19_999 * size('x') + size(note),
    ends: [
      { id: 20_000, event: 'log', data: { message: note } },
      { id: 20_001, event: 'complete', data: done },
    ],
  })
})

test('keeps 4 MiB of an operation with lines of any length', async () => {
  const record = await outcomeOf([() => then(lines(1000, 20_000), 1001)])

  const line = size('x'.repeat(16_384))
  const fit = Math.floor(((4 << 20) - size(note)) / line)
  expect<unknown>(record).toEqual({
    status: 'success',
    error: null,
    lines: fit + 1,
    last: fit + 1,
    bytes: fit * line + size(note),
    ends: [
      { id: fit + 1, event: 'log', data: { message: note } },
      { id: fit + 2, event: 'complete', data: done },
    ],
  })
})

test('says once that output was omitted when the connection breaks and the agent continues', async () => {
  const record = await outcomeOf([
    () => lines(25_000, 1),
    () => then([...lines(26_000, 1)].slice(20_000), 26_001),
  ])

  expect(record).toMatchObject({
    status: 'success',
    lines: 20_000,
    bytes: 19_999 * size('x') + size(note),
  })
})
