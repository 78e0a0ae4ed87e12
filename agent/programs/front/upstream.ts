import http from 'node:http'
import { pathOf } from '#agent/kernel/http/path.ts'
import { currentRequestId } from '#agent/kernel/http/request-id.ts'
import { OPERATION_HEADER, REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import { offline, type ServiceError, starting } from '#shared/kernel/errors.ts'

/**
 * Forwards a request with its body, and streams the answer. Throws offline, which says when to come
 * again only if the root half has not seen the request.
 */
export type Upstream = (request: Request, body: Uint8Array) => Promise<Response>

/** The headers that the root half reads. */
const PASSED_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  OPERATION_HEADER,
]
/**
 * The headers of one connection, which do not belong to the answer (RFC 9110, section 7.6.1), and
 * the length: a streamed answer of a known length sometimes hangs on Deno.
 */
const CONNECTION_HEADERS = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'content-length',
]

/** Forwards through the socket of the root half, with one connection per request. */
export function upstreamAt(socketPath: string): Upstream {
  return (request, body) =>
    new Promise((resolve, reject) => {
      const { method, url, headers, signal } = request
      const path = pathOf(url)
      const passed = requestHeaders(headers, body)
      const outgoing = http.request({ socketPath, method, path, headers: passed, agent: false })
      outgoing.on('response', (incoming) => resolve(answerOf(outgoing, incoming)))
      outgoing.on('error', (error) => reject(failureOf(error)))
      signal.addEventListener('abort', () => outgoing.destroy(), { once: true })
      outgoing.end(body)
    })
}

/** The codes of a socket without a listener; otherwise the root half may have the request. */
const REFUSED = ['ENOENT', 'ECONNREFUSED']

function failureOf(error: NodeJS.ErrnoException): ServiceError {
  if (REFUSED.includes(error.code ?? '')) return starting(error)
  return offline('The agent ended before it answered', error)
}

function requestHeaders(headers: Headers, body: Uint8Array): http.OutgoingHttpHeaders {
  const passed = PASSED_HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const id = currentRequestId()
  const named = id ? { [REQUEST_HEADER]: id } : {}
  return { ...Object.fromEntries(passed), ...named, 'content-length': body.length }
}

function answerOf(outgoing: http.ClientRequest, incoming: http.IncomingMessage): Response {
  let over = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (last: () => void) => {
        if (!over) last()
        over = true
      }
      incoming.on('data', (chunk: Uint8Array) => {
        if (over) return
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
      })
      incoming.on('end', () => end(() => controller.close()))
      incoming.on('error', (error) => end(() => controller.error(error)))
      incoming.on('close', () => end(() => controller.error(new Error('cut off'))))
    },
    pull() {
      incoming.resume()
    },
    cancel() {
      over = true
      incoming.destroy()
      outgoing.destroy()
    },
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !CONNECTION_HEADERS.includes(name)) headers.set(name, String(value))
  }
  return new Response(body, { status: incoming.statusCode ?? 500, headers })
}
