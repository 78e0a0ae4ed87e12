import { chmod, chown, stat } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { getRequestListener } from '@hono/node-server'

export interface Place {
  address: string
  port: number
  /** PEM; without it plain HTTP is spoken, which config.ts allows on loopback only. */
  tls?: { key: string; certificate: string } | undefined
}

/** A socket that the owner and the group of its folder may use, and nobody else. */
export interface Socket {
  socket: string
}

export interface Listening {
  url: string
  stop(): Promise<void>
}

type Handler = (request: Request) => Response | Promise<Response>

const HEADERS_MS = 10_000
const KEEP_ALIVE_MS = 75_000

/** Starts answering, on Bun and on Deno alike. Rejects with the system's error, such as EADDRINUSE. */
export async function listen(answer: Handler, place: Place | Socket): Promise<Listening> {
  // A request without a usable Host header is answered like any other: nothing depends on it.
  const listener = getRequestListener(answer, { hostname: 'agent', overrideGlobalObjects: false })
  const server = serverFor(listener, 'socket' in place ? undefined : place.tls)
  server.headersTimeout = HEADERS_MS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if ('socket' in place) server.listen(place.socket, () => resolve())
    else server.listen(place.port, place.address, () => resolve())
  })
  if ('socket' in place) await share(place.socket)
  return {
    url: 'socket' in place ? `unix:${place.socket}` : urlOf(place, server.address() as AddressInfo),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function serverFor(listener: http.RequestListener, tls: Place['tls']): http.Server {
  if (!tls) return http.createServer(listener)
  const { key, certificate } = tls
  return https.createServer({ key, cert: certificate, minVersion: 'TLSv1.3' }, listener)
}

function urlOf({ address, tls }: Place, { port }: AddressInfo): string {
  const shown = address.includes(':') ? `[${address}]` : address
  return `${tls ? 'https' : 'http'}://${shown}:${port}`
}

/** Until then only the owner can connect. */
async function share(socket: string): Promise<void> {
  const { uid, gid } = await stat(dirname(socket))
  await chown(socket, uid, gid)
  await chmod(socket, 0o660)
}
