import { constants, createHash, createPublicKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** Both halves in PEM: SPKI and PKCS #8. */
export interface KeyPair {
  publicKey: string
  privateKey: string
}

export const LEAST_BITS = 3072

/** An RSA key that a kit accepts; takes up to a second. */
export const makeKeyPair = (): Promise<KeyPair> =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: LEAST_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

/** What an agent and `openssl pkeyutl` use too. */
export const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** Identifies a kit by its public key: the first 16 digits of a SHA-256. Throws for no key. */
export function fingerprintOf(key: string): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex').slice(0, 16)
}
