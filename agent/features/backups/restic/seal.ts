import { constants, createHash, createPublicKey, publicEncrypt } from 'node:crypto'
import { invalid } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'

const MIN_BITS = 3072

/** Encrypts with RSA-OAEP and SHA-256, in base64, for `openssl pkeyutl -decrypt`. */
export function sealTo(key: string, secret: Secret): string {
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  return publicEncrypt({ key, ...padding }, Buffer.from(secret.reveal())).toString('base64')
}

/** Throws invalid on `field` for anything but a public RSA key of at least 3072 bits. */
export function refuseWeakKey(field: string, key: string): void {
  if ((bitsOf(key) ?? 0) < MIN_BITS) {
    throw invalid({ [field]: [`Must be a public RSA key of at least ${MIN_BITS} bits`] })
  }
}

function bitsOf(key: string): number | undefined {
  try {
    return createPublicKey(key).asymmetricKeyDetails?.modulusLength
  } catch {
    return undefined
  }
}

/** Returns the first digits of a key's SHA-256, which identify the recovery key of a repository. */
export const fingerprintOf = (key: string): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
