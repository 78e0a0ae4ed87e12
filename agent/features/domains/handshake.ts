import { fingerprintOf } from '#agent/kernel/host/fingerprint.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { privateKeyOf } from '#agent/kernel/site/certificate-files.ts'
import { messageOf } from '#shared/kernel/errors.ts'

const TRIES = 50
const PAUSE_MS = 100
/** The path that nginx itself answers, whatever the state of PHP. */
const PATH = '/.well-known/acme-challenge/handshake'

/** Proves with a handshake that a new chain fits the private key of a domain. Throws otherwise. */
export async function provePair(host: Host, domain: string, chain: string): Promise<void> {
  const refuse = (reason: string) =>
    new Error(`The new certificate for ${domain} does not work with its key: ${reason}`)
  const key = await host.files.read(privateKeyOf(domain))
  if (key === undefined) throw refuse('the key is missing')
  const fingerprint = await host.visitor
    .handshake({ domain, key, chain })
    .catch((error: unknown) => {
      throw refuse(messageOf(error))
    })
  if (fingerprint !== fingerprintOf(chain)) throw refuse('a client gets another certificate')
}

/**
 * Waits until this server presents the first certificate of a chain for the domain: nginx applies a
 * new configuration a moment after the signal. Throws if it presents another one, or none.
 */
export async function awaitServed(host: Host, domain: string, chain: string): Promise<void> {
  const wanted = fingerprintOf(chain)
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
  wanted: string,
): Promise<string | undefined> {
  const visit = { host: domain, path: PATH, tls: true, address: '127.0.0.1' }
  const [visited] = await visitor.visit([visit])
  if (!visited || 'failed' in visited) return 'does not answer'
  const { fingerprint } = visited
  if (fingerprint === undefined || wanted === '' || fingerprint === wanted) return undefined
  return 'has another certificate'
}
