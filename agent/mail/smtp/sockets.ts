import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import { attempt } from '#agent/host/attempt.ts'
import { Broken } from './replies.ts'

export interface Times {
  connect_ms: number
  answer_ms: number
  /** After the end of the message: RFC 5321, 4.5.3.2.6. */
  accept_ms: number
}

export const TIMES: Times = { connect_ms: 30_000, answer_ms: 120_000, accept_ms: 600_000 }
/** The machine's trusted authorities; an administrator can add another one. */
const ROOTS = '/etc/ssl/certs/ca-certificates.crt'

interface Trust {
  times: Times
  /** A file of certificates of trusted authorities. */
  roots?: string | undefined
}

export function secured(
  place: { socket: net.Socket } | { host: string; port: number },
  host: string,
  { times, roots = ROOTS }: Trust,
): Promise<net.Socket> {
  const servername = net.isIP(host) ? {} : { servername: host }
  const trusted = attempt(() => ({ ca: readFileSync(roots, 'utf8') }))
  const options = { ...place, ...servername, ...trusted, minVersion: 'TLSv1.2' as const }
  return opened(tls.connect({ ...options, host }), 'secureConnect', times)
}

export function opened<S extends net.Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  { connect_ms }: Times,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      clearTimeout(timer)
      socket.destroy()
      reject(new Broken(reason))
    }
    const timer = setTimeout(
      () => fail(`no connection within ${connect_ms / 1000} seconds`),
      connect_ms,
    )
    socket.on('error', (error) => fail(reasonOf(error, event)))
    socket.once('close', () => fail('the relay closed the connection'))
    socket.once(event, () => {
      clearTimeout(timer)
      resolve(socket)
    })
  })
}

/** The message of a system call is clear without context; an error of TLS is not. */
function reasonOf(error: NodeJS.ErrnoException, event: string): string {
  const text = error.message || String(error)
  const ofTls = event === 'secureConnect' && error.syscall === undefined
  return ofTls ? `TLS with the relay failed: ${text}` : text
}
