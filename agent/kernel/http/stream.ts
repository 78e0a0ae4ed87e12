import type { Operation } from '#agent/kernel/operations/operation.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import {
  encodeEvent,
  isTerminal,
  PING,
  PING_INTERVAL_MS,
  STREAM_HEADERS,
  type StoredEvent,
} from '#shared/kernel/sse.ts'

/** Streams the events of an operation: its end stops nothing, and a slow reader delays nobody. */
export function streamOf(operation: Operation, request: Request): Response {
  const query = new URL(request.url, 'http://agent').searchParams
  const [warnings, steps] = ['warnings', 'steps'].map((name) => query.get(name) === 'true')
  const gone = new AbortController()
  const encoder = new TextEncoder()
  const events = operation.follow(lastEventId(request), gone.signal, steps)
  let ping: ReturnType<typeof setInterval> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      ping = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(PING))
      }, PING_INTERVAL_MS)
    },
    async pull(controller) {
      const next = await events.next()
      if (!next.done)
        return controller.enqueue(encoder.encode(encodeEvent(shown(next.value, warnings))))
      clearInterval(ping)
      if (!gone.signal.aborted) controller.close()
    },
    cancel() {
      clearInterval(ping)
      gone.abort()
    },
  })
  return new Response(body, { headers: { ...STREAM_HEADERS, [OPERATION_HEADER]: operation.id } })
}

/** Removes warnings and the error code from the last event without `?warnings=true`. */
function shown(event: StoredEvent, warnings = false): StoredEvent {
  if (warnings || !isTerminal(event)) return event
  const { [event.event === 'error' ? 'code' : 'warnings']: _, ...data } = event.data
  return { ...event, data }
}

/** Returns the number in Last-Event-ID; 0 without one. */
function lastEventId(request: Request): number {
  const value = request.headers.get('last-event-id') ?? ''
  return /^\d{1,9}$/.test(value) ? Number(value) : 0
}
