import { eq, sql } from 'drizzle-orm'
import { operation_events, operations } from '#dashboard/db/schema.ts'
import { encodeEvent, STREAM_HEADERS } from '#shared/sse.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { type Dashboard, makeDashboard } from './dashboard.ts'

const limits = {
  deadline_ms: 60_000,
  retry_min_ms: 5,
  retry_max_ms: 20,
  response_timeout_ms: 110_000,
}
export const done = { status: 'ok', service: 'nginx' }
const encoder = new TextEncoder()

export type Chunks = Generator<string> | AsyncGenerator<string>

/** Lines without end, each of `size` characters. */
export function* lines(count: number, size: number): Generator<string> {
  const message = 'x'.repeat(size)
  for (let id = 1; id <= count; id++) yield encodeEvent({ id, event: 'log', data: { message } })
}

export function* then(first: Iterable<string>, id: number): Generator<string> {
  yield* first
  yield encodeEvent({ id, event: 'complete', data: done })
}

/**
 * What an operation of which the agent streams `answer` leaves recorded; one stream for each try.
 */
export async function outcomeOf(
  answers: readonly (() => Chunks)[],
  more: Partial<Dashboard['deps']['limits']> = {},
) {
  await using machine = new FakeAgent()
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
