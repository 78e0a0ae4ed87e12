import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

/** An Ed25519 public key from its 32 bytes in base64url; undefined when it is none. */
export function publicKeyOf(base64url: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: base64url }, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** The 32 bytes of an Ed25519 public key in base64url. */
export function rawKeyOf(key: KeyObject): string {
  const { x } = key.export({ format: 'jwk' })
  if (typeof x !== 'string') throw new Error('not an Ed25519 key')
  return x
}

/** SHA-256 in base64url: of an agent's public key it is the audience of its tokens. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('base64url')
}
