import { createCipheriv } from 'node:crypto'

const PRIME = (1n << 130n) - 5n
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn

/** Poly1305-AES (D. J. Bernstein, 2005), which restic uses and node:crypto does not have. */
export function tagOf(key: { k: Buffer; r: Buffer }, nonce: Buffer, message: Buffer): Buffer {
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
