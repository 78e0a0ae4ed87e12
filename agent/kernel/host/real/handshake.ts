import { duplexPair } from 'node:stream'
import { connect, TLSSocket } from 'node:tls'
import type { Pair } from '#agent/kernel/host/visit-port.ts'

const MAX_MS = 10_000

/** In memory: nobody else takes part, and nothing of it is on a disk or a network. */
export async function handshake({ domain, key, chain }: Pair): Promise<string> {
  const [here, there] = duplexPair()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const late = setTimeout(() => reject(new Error('no answer in time')), MAX_MS)
  try {
    const server = new TLSSocket(here, { isServer: true, key, cert: chain })
    // The certificate itself is compared; its authority may be one that this machine does not know.
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
