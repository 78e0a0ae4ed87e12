import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import type { Random } from '#dashboard/kernel/runtime/random.ts'
import { Secret } from '#shared/kernel/secret.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const DERIVED_BYTES = 32

/** Encrypts a secret in the database for this dashboard with its key file. */
export interface Sealer {
  /** Returns nonce, tag and ciphertext (AES-256-GCM) in base64url, for this `purpose`. */
  seal(purpose: string, secret: Secret): string
  /** Opens a sealed text. Throws for another key file, purpose or text. */
  open(purpose: string, sealed: string): Secret
  /** Returns 32 bytes that follow from the key file and the purpose, and reveal neither. */
  derive(purpose: string): Buffer
}

/** Makes a sealer; `secret` has at least 256 random bits from a file outside the database. */
export function makeSealer(secret: string, random: Random): Sealer {
  const key = createHash('sha256').update(`hosting-seal/1\n${secret}`).digest()
  return {
    seal(purpose, plain) {
      const iv = Buffer.from(random(IV_BYTES))
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(plain.reveal(), 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      const iv = bytes.subarray(0, IV_BYTES)
      const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag)
      const body = bytes.subarray(IV_BYTES + TAG_BYTES)
      const plain = Buffer.concat([decipher.update(body), decipher.final()])
      return new Secret(plain.toString('utf8'))
    },
    derive: (purpose) => Buffer.from(hkdfSync('sha256', secret, '', purpose, DERIVED_BYTES)),
  }
}
