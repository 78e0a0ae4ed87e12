import type { Socket } from 'node:net'

/** Together they take a few milliseconds. */
const PER_TURN = 16

/**
 * Starts a few TLS handshakes of new connections in each turn of the event loop, oldest first: the
 * system accepts hundreds of connections at once, and other requests are answered between the
 * turns. Connections that ended meanwhile cost nothing.
 */
export function inTurns(begin: (socket: Socket) => void): (socket: Socket) => void {
  const waiting = new Set<Socket>()
  const turn = () => {
    let left = PER_TURN
    for (const socket of waiting) {
      if (left === 0) break
      left -= 1
      waiting.delete(socket)
      begin(socket)
    }
    if (waiting.size > 0) setImmediate(turn)
  }
  return (socket) => {
    if (waiting.size === 0) setImmediate(turn)
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
  }
}
