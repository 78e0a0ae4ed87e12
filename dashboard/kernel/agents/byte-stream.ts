import type { IncomingMessage } from 'node:http'
import type { RequestTimeout } from './request-timeout.ts'

/** An agent that has begun to send bytes does not pause longer. */
const STALL_MS = 10 * 60_000
/** Nor does a reader. */
const UNREAD_MS = 60 * 60_000

/**
 * The bytes of an answer, as fast as they are read, and none of them kept. Fails where the answer
 * is cut off; a reader that stops ends the request.
 */
export function bytesOf(
  response: IncomingMessage,
  timeout: RequestTimeout,
): ReadableStream<Uint8Array> {
  const chunks = response[Symbol.asyncIterator]()
  timeout.again(UNREAD_MS)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        timeout.again(STALL_MS)
        const next = await chunks.next()
        timeout.again(UNREAD_MS)
        if (!next.done) return controller.enqueue(next.value)
        timeout.end()
        controller.close()
      },
      cancel() {
        timeout.end()
        response.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}
