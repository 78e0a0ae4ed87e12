import { createCipheriv, createDecipheriv } from 'node:crypto'

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

/** Returns the decrypted text; undefined when other keys sealed the data, or it was changed. */
export function unsealed({ cipher, tag }: CipherKeys, data: Buffer): Buffer | undefined {
  const nonce = data.subarray(0, NONCE)
  const encrypted = data.subarray(NONCE, -TAG)
  if (data.length < NONCE + TAG) return undefined
  if (!tagOf(tag, nonce, encrypted).equals(data.subarray(-TAG))) return undefined
  return createDecipheriv('aes-256-ctr', cipher, nonce).update(encrypted)
}

const PRIME = (1n << 130n) - 5n
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn

/** Poly1305-AES (D. J. Bernstein, 2005), which restic uses and node:crypto does not have. */
function tagOf(key: { k: Buffer; r: Buffer }, nonce: Buffer, message: Buffer): Buffer {
  const r = numberOf(key.r) & CLAMP
  let sum = 0n
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16)
    sum = ((sum + numberOf(block) + (1n << BigInt(8 * block.length))) * r) % PRIME
  }
  const mask = createCipheriv('aes-128-ecb', key.k, null).update(nonce)
  return bytesOf((sum + numberOf(mask)) & ((1n << 128n) - 1n))
}

const numberOf = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

const bytesOf = (number: bigint) =>
  Buffer.from(number.toString(16).padStart(32, '0'), 'hex').reverse()
