import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'

export interface Place {
  address: string
  port: number
  /** PEM; without it plain HTTP is spoken, which config.ts allows on loopback only. */
  tls?: { key: string; certificate: string }
}

export interface Listening {
  url: string
  stop(): Promise<void>
}

type Handler = (request: Request) => Response | Promise<Response>

const HEADERS_MS = 10_000
const KEEP_ALIVE_MS = 75_000

/** Starts answering, on Bun and on Deno alike. Rejects with the system's error, such as EADDRINUSE. */
export async function listen(answer: Handler, { address, port, tls }: Place): Promise<Listening> {
  // A request without a usable Host header is answered like any other: nothing depends on it.
  const listener = getRequestListener(answer, { hostname: 'agent', overrideGlobalObjects: false })
  const server = tls
    ? https.createServer({ key: tls.key, cert: tls.certificate, minVersion: 'TLSv1.3' }, listener)
    : http.createServer(listener)
  server.headersTimeout = HEADERS_MS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => resolve())
  })
  const { port: actual } = server.address() as AddressInfo
  const shown = address.includes(':') ? `[${address}]` : address
  return {
    url: `${tls ? 'https' : 'http'}://${shown}:${actual}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
