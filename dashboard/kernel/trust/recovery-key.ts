import { constants, createHash, createPublicKey } from 'node:crypto'

/** What an agent and `openssl pkeyutl` use too. */
export const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** Identifies a kit by its public key: the first 16 digits of a SHA-256. Throws for no key. */
export function fingerprintOf(key: string): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}
