import { X509Certificate } from 'node:crypto'
import { attempt } from '#agent/host/attempt.ts'
import type { Host } from '#agent/host/ports.ts'

const TRIES = 50
const PAUSE_MS = 100
/** nginx itself answers here, whatever the state of PHP. */
const PATH = '/.well-known/acme-challenge/handshake'

/**
 * Waits until this server presents the first certificate of a chain for the domain: nginx applies a
 * new configuration a moment after the signal. Throws if it presents another one, or none.
 */
export async function awaitServed(host: Host, domain: string, chain: string): Promise<void> {
  const wanted = attempt(() => new X509Certificate(chain).fingerprint256)
  for (let tries = 1; ; tries++) {
    const problem = await problemOf(host, domain, wanted)
    if (problem === undefined) return
    if (tries >= TRIES) throw new Error(`TLS for ${domain} ${problem} on this server`)
    await host.clock.sleep(PAUSE_MS)
  }
}

async function problemOf(
  { visitor }: Host,
  domain: string,
  wanted: string | undefined,
): Promise<string | undefined> {
  const visit = { host: domain, path: PATH, tls: true, address: '127.0.0.1' }
  const [visited] = await visitor.visit([visit])
  if (!visited || 'failed' in visited) return 'does not answer'
  const { fingerprint } = visited
  if (fingerprint === undefined || wanted === undefined || fingerprint === wanted) return undefined
  return 'has another certificate'
}
