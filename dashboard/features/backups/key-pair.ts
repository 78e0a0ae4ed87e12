import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** A key pair in PEM: SPKI and PKCS #8. */
export interface KeyPair {
  publicKey: string
  privateKey: string
}

export const MIN_KEY_BITS = 3072

export const makeKeyPair = (): Promise<KeyPair> =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: MIN_KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
