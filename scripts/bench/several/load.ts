import type { Socket } from 'bun'

/** Of each dashboard: those that ask at the same time share a question to the libSQL server. */
const CONNECTIONS = 12

export interface Target {
  url: string
  cookie: string
}

/**
 * The answers in this time, over as many connections to each dashboard. Throws if an answer has
 * another status or another body than `expected`.
 */
export async function answersWithin(
  ms: number,
  targets: readonly Target[],
  path: string,
  expected: string,
): Promise<number> {
  const end = performance.now() + ms
  const bytes = Buffer.from(expected)
  const connections = targets.flatMap((target) => new Array<Target>(CONNECTIONS).fill(target))
  const counts = connections.map((target) => repeat(target, path, { bytes, end }))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** One request after the other; TCP, because `fetch` needs as much time as the answer. */
async function repeat(
  { url, cookie }: Target,
  path: string,
  { bytes, end }: { bytes: Buffer; end: number },
): Promise<number> {
  const { hostname, port } = new URL(url)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\n\r\n`
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let count = 0
  let received: Buffer = Buffer.alloc(0)
  const onData = (socket: Socket, chunk: Buffer) => {
    received = received.length === 0 ? Buffer.from(chunk) : Buffer.concat([received, chunk])
    const answer = wholeIn(received)
    if (!answer) return
    if (answer.status !== 200 || !answer.body.equals(bytes))
      return reject(new Error(`another answer of ${url}${path}: ${received.toString()}`))
    count += 1
    received = Buffer.alloc(0)
    if (performance.now() < end) socket.write(request)
    else resolve(count)
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (opened) => void opened.write(request),
      data: onData,
      close: () => reject(new Error(`${url} has closed a connection`)),
      error: (_, error) => reject(error),
    },
  })
  return promise.finally(() => socket.end())
}

const END_OF_HEADERS = Buffer.from('\r\n\r\n')

function wholeIn(received: Buffer): { status: number; body: Buffer } | undefined {
  const end = received.indexOf(END_OF_HEADERS)
  if (end < 0) return undefined
  const headers = received.toString('latin1', 0, end)
  const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1])
  const body = received.subarray(end + END_OF_HEADERS.length)
  if (body.length < length) return undefined
  return { status: Number(headers.slice(9, 12)), body }
}
