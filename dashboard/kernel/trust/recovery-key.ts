import { constants, createHash, createPublicKey } from 'node:crypto'

/** The padding, as an agent and `openssl pkeyutl` use it. */
export const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** Returns the first 16 digits of the SHA-256 of the public key of a kit. Throws for no key. */
export function fingerprintOf(key: string): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}
