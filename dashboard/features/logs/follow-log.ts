import type { StoredEvent } from '#shared/kernel/sse.ts'
import { readEvents } from '#shared/kernel/sse.ts'
import { LogNews } from '#shared/logs/site-logs.ts'

/** The maximum of events for the browser in a second, also from a hostile agent. */
const MAX_EVENTS = 400

interface TestClock {
  now(): number
}

/** Returns the events of a live view, numbered from 1, until the signal or the agent ends it. */
export function logEvents(
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  { now }: TestClock,
): AsyncGenerator<StoredEvent> {
  const reader = bytes.getReader()
  const leave = () => void reader.cancel().catch(() => undefined)
  // Also for a reader that leaves before it reads anything.
  signal.addEventListener('abort', leave, { once: true })
  return eventsOf(readEvents(readChunks(reader)), now)
}

async function* eventsOf(events: AsyncGenerator<StoredEvent>, now: TestClock['now']) {
  let [id, second, count] = [0, 0, 0]
  for await (const { data } of events) {
    const here = Math.floor(now() / 1000)
    count = here === second ? count + 1 : 1
    second = here
    const news = LogNews.safeParse(data).data
    if (!news || count > MAX_EVENTS) continue
    id += 1
    yield { id, event: 'log' as const, data: { message: '', ...news } }
  }
}

async function* readChunks(reader: {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read()
    if (done || !value) return
    yield value
  }
}
