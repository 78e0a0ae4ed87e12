import { expect, setDefaultTimeout, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { operation_events, operations } from '#dashboard/db/schema.ts'
import { encodeEvent, STREAM_HEADERS } from '#shared/sse.ts'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
} from '#tests/support/dashboard/dashboard.ts'

const limits = {
  deadline_ms: 60_000,
  retry_min_ms: 5,
  retry_max_ms: 20,
  response_timeout_ms: 110_000,
}
setDefaultTimeout(120_000)
const done = { status: 'ok', service: 'nginx' }
const note = 'The rest of the output is omitted: an operation keeps 20,000 lines and 4 MiB'
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
  await using machine = new DisposableAgent()
  await using dashboard = await makeDashboard({ limits: { ...limits, ...more } })
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

const tooMuch = {
  error: 'Internal error',
  message: 'The agent sent more than 50,000 events or 32 MiB for one operation',
}
function* forever(chunk: string): Generator<string> {
  for (;;) yield chunk
}
const line = encodeEvent({ id: 1, event: 'log', data: { message: 'x' } })
test.each<[string, () => Chunks, number]>([
  ['lines', () => lines(Number.POSITIVE_INFINITY, 10), 20_001],
  ['long lines', () => lines(Number.POSITIVE_INFINITY, 16_384), 257],
  ['the same event', () => forever(line.repeat(100)), 2],
  ['comments', () => forever(': ping\n\n'.repeat(1000)), 1],
  ['empty lines', () => forever('\n'.repeat(10_000)), 1],
])('fails an operation whose agent sends endless %s', async (_, endless, last) => {
  const { status, error, ends } = await outcomeOf([endless])

  expect<unknown>({ status, error }).toEqual({ status: 'failed', error: tooMuch })
  expect<unknown>(ends.at(-1)).toEqual({ id: last, event: 'error', data: tooMuch })
})

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
