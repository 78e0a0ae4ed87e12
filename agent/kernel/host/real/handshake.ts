import { duplexPair } from 'node:stream'
import { connect, TLSSocket } from 'node:tls'
import type { KeyPair } from '#agent/kernel/host/visit-port.ts'

const MAX_MS = 10_000

/** Runs the handshake in memory: nobody else takes part, and nothing is on disk or network. */
export async function handshake({ domain, key, chain }: KeyPair): Promise<string> {
  const [here, there] = duplexPair()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const late = setTimeout(() => reject(new Error('no answer in time')), MAX_MS)
  try {
    const server = new TLSSocket(here, { isServer: true, key, cert: chain })
    // Compares the certificate itself: this machine may not know its authority.
    const client = connect({ socket: there, servername: domain, rejectUnauthorized: false })
    for (const side of [server, client]) side.on('error', reject)
    client.on('secureConnect', () => resolve(client.getPeerCertificate().fingerprint256))
    return await promise
  } finally {
    clearTimeout(late)
    here.destroy()
    there.destroy()
  }
}
