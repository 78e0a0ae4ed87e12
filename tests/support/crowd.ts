import { connect, type Socket } from 'node:net'

/** Connections that all send the same beginning of a request, and their results. */
export interface Crowd {
  size: number
  /** Answers by their status. */
  answers: ReadonlyMap<number, number>
  /** The number of open connections. */
  open(): number
  end(): void
}

/**
 * Opens that many connections and sends `start` over each. With `more` they send that every two
 * seconds, so that none of them is idle.
 */
export async function crowd(port: number, size: number, start: string, more = ''): Promise<Crowd> {
  const answers = new Map<number, number>()
  const sockets = new Set<Socket>()
  const opened = Array.from({ length: size }, () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(start)
      resolve()
    })
    sockets.add(socket)
    socket.on('error', () => resolve())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g))
        answers.set(Number(status), (answers.get(Number(status)) ?? 0) + 1)
    })
    return promise
  })
  await Promise.all(opened)
  const sendMore = () => {
    for (const socket of sockets) socket.write(more)
  }
  const drip = more === '' ? undefined : setInterval(sendMore, 2_000)
  const end = () => {
    clearInterval(drip)
    for (const socket of sockets) socket.destroy()
  }
  return { size, answers, open: () => sockets.size, end }
}
