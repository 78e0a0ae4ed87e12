import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { undefinedIfThrows } from './undefined-if-throws.ts'

/** Returns an Ed25519 public key from its 32 bytes in base64url; undefined for other text. */
export function publicKeyOf(base64url: string): KeyObject | undefined {
  const key = { kty: 'OKP', crv: 'Ed25519', x: base64url }
  return undefinedIfThrows(() => createPublicKey({ key, format: 'jwk' }))
}

/** Returns the 32 bytes of an Ed25519 public key in base64url. */
export function rawKeyOf(key: KeyObject): string {
  const { x } = key.export({ format: 'jwk' })
  if (typeof x !== 'string') throw new Error('not an Ed25519 key')
  return x
}

/** Returns the SHA-256 in base64url: that of an agent's public key is its tokens' audience. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('base64url')
}
