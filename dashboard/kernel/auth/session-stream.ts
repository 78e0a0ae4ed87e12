import type { Connection } from '#dashboard/kernel/http/connection.ts'
import type { PathCall } from '#dashboard/kernel/http/route.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { encodeEvent, PING, STREAM_HEADERS, type StoredEvent } from '#shared/kernel/sse.ts'
import { endWithSession } from './session-revocation.ts'

interface EventStream {
  operation_id?: string
  ping_ms: number
  server: Connection | null
  /** Returns the events to send; `signal` aborts when the client disconnects, or loses access. */
  events(signal: AbortSignal): AsyncGenerator<StoredEvent>
  /** Aborts when the client loses access. */
  watch?(gone: AbortController): void
}

export type StreamDeps = Parameters<typeof endWithSession>[0] & { limits: { ping_ms: number } }

/** Makes a stream that ends with its session or token. */
export function callerStream(
  { deps, caller, requireRight, request, server }: PathCall<StreamDeps>,
  stream: Pick<EventStream, 'operation_id' | 'events'>,
): Response {
  const watch = (gone: AbortController) => void endWithSession(deps, { caller, requireRight }, gone)
  return streamResponse(request, { ...stream, server, ping_ms: deps.limits.ping_ms, watch })
}

/** Makes a view of stored events: a client that leaves cancels nothing. */
export function streamResponse(request: Request, stream: EventStream): Response {
  stream.server?.timeout(request, 0)
  const { operation_id } = stream
  const name = operation_id === undefined ? {} : { [OPERATION_HEADER]: operation_id }
  const headers = { ...STREAM_HEADERS, ...name }
  if (request.method === 'HEAD') return new Response(null, { headers })
  const gone = new AbortController()
  request.signal.addEventListener('abort', () => gone.abort(), { once: true })
  stream.watch?.(gone)
  const body = new ReadableStream<Uint8Array>(source(stream, gone), { highWaterMark: 64 })
  return new Response(body, { headers })
}

/**
 * Makes the source of the bytes. The first ping sends the headers on their way. A client that reads
 * slowly slows down the reading.
 */
function source({ events, ping_ms }: EventStream, gone: AbortController) {
  const encoder = new TextEncoder()
  const iterator = events(gone.signal)
  let timer: ReturnType<typeof setInterval> | undefined
  let left = false
  const end = () => {
    clearInterval(timer)
    gone.abort()
  }
  return {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      const ping = () =>
        (controller.desiredSize ?? 0) > 0 && controller.enqueue(encoder.encode(PING))
      ping()
      timer = setInterval(ping, ping_ms)
      gone.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
    },
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const next = await iterator.next().catch((error: unknown) => {
        end()
        throw error
      })
      if (left) return
      if (!next.done) return controller.enqueue(encoder.encode(encodeEvent(next.value)))
      end()
      controller.close()
    },
    cancel() {
      left = true
      end()
    },
  }
}
