import { constants, createHash, createPublicKey, publicEncrypt } from 'node:crypto'
import { invalid } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'

const LEAST_BITS = 3072

/**
 * RSA-OAEP with SHA-256, in base64: `openssl pkeyutl -decrypt` with `rsa_padding_mode:oaep` and
 * `rsa_oaep_md:sha256` opens it.
 */
export function sealTo(key: string, secret: Secret): string {
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  return publicEncrypt({ key, ...padding }, Buffer.from(secret.reveal())).toString('base64')
}

/** Throws invalid on `field` for anything but a public RSA key of at least 3072 bits. */
export function refuseWeakKey(field: string, key: string): void {
  if ((bitsOf(key) ?? 0) < LEAST_BITS) {
    throw invalid({ [field]: [`Must be a public RSA key of at least ${LEAST_BITS} bits`] })
  }
}

function bitsOf(key: string): number | undefined {
  try {
    return createPublicKey(key).asymmetricKeyDetails?.modulusLength
  } catch {
    return undefined
  }
}

/** The beginning of the SHA-256 of a key: which recovery key a repository is sealed to. */
export const fingerprintOf = (key: string): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
