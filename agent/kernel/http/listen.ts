import { chmod, chown, stat } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import process from 'node:process'
import tls from 'node:tls'
import { getRequestListener } from '@hono/node-server'
import { bodyOf, tooMany } from '#shared/kernel/errors.ts'
import {
  type Connection,
  Connections,
  LOCAL_LIMITS,
  MAX_PIPELINED,
  NETWORK_LIMITS,
} from './connections.ts'

export interface ListenAddress {
  address: string
  port: number
  /** The key and the certificate as PEM; else plain HTTP, which config.ts allows on loopback. */
  tls?: { key: string; certificate: string } | undefined
  /** A listening socket's descriptor, in place of address and port; with TLS on Bun. */
  listen_fd?: number | undefined
}

/** The path of a socket for the owner and the group of its folder only. */
export interface LocalSocket {
  socket: string
}

export interface ListeningServer {
  url: string
  stop(): Promise<void>
}

/** The connection of a request; `trust` is called after its signature was verified. */
export type Origin = Pick<Connection, 'trust'>
export type Handler = (request: Request, origin: Origin) => Response | Promise<Response>

/** Starts answering, on Bun and on Deno alike. Rejects with the system's error, such as EADDRINUSE. */
export async function listen(
  answer: Handler,
  to: ListenAddress | LocalSocket,
): Promise<ListeningServer> {
  const local = 'socket' in to
  const limits = local || !to.tls ? LOCAL_LIMITS : NETWORK_LIMITS
  const connections = new Connections(limits)
  const answering = listenerFor(answer, connections)
  const server = local || !to.tls ? plain(answering) : secured(answering, connections, to.tls)
  // Closed connections take memory until they end.
  server.maxConnections = 2 * limits.total
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (local) server.listen(to.socket, () => resolve())
    else if (to.listen_fd !== undefined) server.listen({ fd: to.listen_fd }, () => resolve())
    else server.listen(to.port, to.address, () => resolve())
  })
  if (local) await allowGroup(to.socket)
  return {
    url: local ? `unix:${to.socket}` : urlOf(to, server.address() as AddressInfo),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      connections.endAll()
      if ('closeAllConnections' in server) (server as http.Server).closeAllConnections()
      await closed
    },
  }
}

const HEADERS_MS = 10_000
const KEEP_ALIVE_MS = 80_000
const MALFORMED = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'
const BLANK_LINE = Buffer.from('\r\n\r\n')

function listenerFor(answer: Handler, connections: Connections): http.RequestListener {
  const listener = getRequestListener(
    (request, { incoming }) => {
      const connection = connections.of(incoming.socket)
      if (!connection) throw new Error('A request came on a connection that has ended')
      return answer(request, connection)
    },
    // A request without a usable Host header is answered like any other: nothing depends on it.
    { hostname: 'agent', overrideGlobalObjects: false },
  )
  return (incoming, outgoing) => {
    const { socket } = incoming
    const connection = connections.of(socket) ?? connections.admit(socket)
    if (connection && connections.begin(connection, socket)) {
      outgoing.once('close', () => connections.finish(connection))
      void listener(incoming, outgoing)
    } else if (connection?.trusted) refuse(outgoing)
    else socket.destroy()
  }
}

/** Returns a plain server for loopback, tests and the root half's socket, whose peer has limits. */
function plain(answering: http.RequestListener): http.Server {
  const server = http.createServer(answering)
  server.headersTimeout = HEADERS_MS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('clientError', (_, socket) => socket.end(MALFORMED, () => socket.destroy()))
  return server
}

interface Servers {
  listening: Server
  /** Performs the handshake of an accepted connection; undefined when the first server does it. */
  securing: Server
  /** Reads the requests; it may be the same server. */
  speaking: Server
}

/**
 * Bun's HTTPS server neither counts nor exposes connections before their first request: so a plain
 * server accepts them, a TLS server without a port performs the handshakes, and an HTTP server
 * reads the requests.
 */
function serversFor(answering: http.RequestListener, options: tls.TlsOptions): Servers {
  if (process.versions.bun !== undefined) {
    const listening = net.createServer({ pauseOnConnect: true })
    return { listening, securing: tls.createServer(options), speaking: plain(answering) }
  }
  const server = https.createServer(options, answering)
  server.headersTimeout = HEADERS_MS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return { listening: server, securing: server, speaking: server }
}

function secured(
  answering: http.RequestListener,
  connections: Connections,
  { key, certificate }: NonNullable<ListenAddress['tls']>,
): Server {
  const waiting = new Map<string, Connection>()
  const options = { key, cert: certificate, minVersion: 'TLSv1.3' } as const
  const { listening, securing, speaking } = serversFor(answering, options)
  const secure = perEventLoopTurn((socket) => securing.emit('connection', socket))
  listening.on('connection', (socket: Socket) => {
    const connection = connections.admit(socket)
    if (!connection) return
    const name = nameOf(socket)
    waiting.set(name, connection)
    socket.once('close', () => waiting.delete(name))
    if (securing !== listening) secure(socket)
  })
  securing.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy())
    const connection = waiting.get(nameOf(socket))
    if (!connection) {
      socket.destroy()
      return
    }
    connections.join(socket, connection)
    socket.prependListener('data', (chunk: Buffer) => guard(chunk, connection))
    if (speaking !== securing) speaking.emit('connection', socket)
  })
  securing.on('tlsClientError', (_, socket) => socket.destroy())
  return listening
}

/** Ends a connection that sends too much: zeros, as data is parsed even after `end`. */
function guard(chunk: Buffer, connection: Connection): void {
  if (connection.trusted || !hasMany(chunk)) return
  chunk.fill(0)
  connection.end()
}

/** Returns whether it contains more request heads than an unauthenticated connection may send. */
function hasMany(chunk: Buffer): boolean {
  let count = 0
  for (let at = chunk.indexOf(BLANK_LINE); at >= 0; at = chunk.indexOf(BLANK_LINE, at + 4)) {
    count += 1
    if (count > MAX_PIPELINED) return true
  }
  return false
}

function refuse(outgoing: http.ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' }
  const body = bodyOf(tooMany('The agent answers as many requests as it can', 1))
  outgoing.writeHead(429, headers).end(JSON.stringify(body))
}

/** Names a connection by its remote port, which identifies an open one to the agent's port. */
const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

function urlOf({ address, tls: secure }: ListenAddress, { port }: AddressInfo): string {
  const shown = address.includes(':') ? `[${address}]` : address
  return `${secure ? 'https' : 'http'}://${shown}:${port}`
}

/** Opens the socket to the group; until then only the owner can connect. */
async function allowGroup(socket: string): Promise<void> {
  const { uid, gid } = await stat(dirname(socket))
  await chown(socket, uid, gid)
  await chmod(socket, 0o660)
}

/** The number of handshakes in one turn, which take a few milliseconds. */
const PER_TURN = 16

/**
 * Starts a few TLS handshakes of new connections in each turn of the event loop, oldest first: the
 * system accepts hundreds of connections at once, and other requests are answered between the
 * turns. Connections that ended meanwhile cost nothing.
 */
export function perEventLoopTurn(begin: (socket: Socket) => void): (socket: Socket) => void {
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
