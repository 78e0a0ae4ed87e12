import { createCipheriv, createDecipheriv } from 'node:crypto'
import { tagOf } from './poly1305.ts'

const NONCE = 16
const TAG = 16

/** AES-256 in counter mode with Poly1305-AES (restic, design.rst: "Keys, Encryption and MAC"). */
export interface CipherKeys {
  cipher: Buffer
  tag: { k: Buffer; r: Buffer }
}

/** `nonce`: 16 bytes that no other text of these keys has. */
export function sealed({ cipher, tag }: CipherKeys, nonce: Buffer, text: Buffer): Buffer {
  const encrypted = createCipheriv('aes-256-ctr', cipher, nonce).update(text)
  return Buffer.concat([nonce, encrypted, tagOf(tag, nonce, encrypted)])
}

/** Undefined: other keys sealed it, or it was changed. */
export function unsealed({ cipher, tag }: CipherKeys, data: Buffer): Buffer | undefined {
  const nonce = data.subarray(0, NONCE)
  const encrypted = data.subarray(NONCE, -TAG)
  if (data.length < NONCE + TAG) return undefined
  if (!tagOf(tag, nonce, encrypted).equals(data.subarray(-TAG))) return undefined
  return createDecipheriv('aes-256-ctr', cipher, nonce).update(encrypted)
}
