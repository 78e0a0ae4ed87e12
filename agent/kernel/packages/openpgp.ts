import { createHash } from 'node:crypto'

const BLOCK = 'PGP PUBLIC KEY BLOCK'
const PUBLIC_KEY = 6
/** A subkey, a user id, a signature or an attribute belongs to the key before it. */
const PARTS = new Set([2, 13, 14, 17])

interface Packet {
  tag: number
  bytes: Uint8Array
  body: Uint8Array
}

/**
 * The OpenPGP key with this fingerprint, with all that belongs to it, out of a keyring: binary or
 * ASCII-armored. Undefined: the keyring does not have it. Throws for anything but a keyring.
 * Source: RFC 9580, sections 4.2, 5.5.4.2 and 6.
 */
export function keyOf(keyring: Uint8Array, fingerprint: string): Uint8Array | undefined {
  const kept: Uint8Array[] = []
  let isKept = false
  for (const { tag, bytes, body } of packetsOf(binary(keyring))) {
    if (tag === PUBLIC_KEY) isKept = fingerprintOf(body) === fingerprint.toUpperCase()
    else if (!PARTS.has(tag)) continue
    if (isKept) kept.push(bytes)
  }
  return kept.length === 0 ? undefined : Buffer.concat(kept)
}

/** ASCII armor of a public key, with a comment of one line. */
export function armored(key: Uint8Array, comment: string): string {
  const lines =
    Buffer.from(key)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  const checksum = Buffer.from(crc24(key)).toString('base64')
  return `-----BEGIN ${BLOCK}-----\nComment: ${comment}\n\n${lines.join('\n')}\n=${checksum}\n-----END ${BLOCK}-----\n`
}

/** Of a key of version 4; others have no fingerprint of 40 digits. */
function fingerprintOf(body: Uint8Array): string | undefined {
  if (body[0] !== 4) return undefined
  const head = Uint8Array.of(0x99, body.length >> 8, body.length & 0xff)
  return createHash('sha1').update(head).update(body).digest('hex').toUpperCase()
}

function binary(keyring: Uint8Array): Uint8Array {
  const text = Buffer.from(keyring).toString('latin1')
  if (!text.trimStart().startsWith(`-----BEGIN ${BLOCK}-----`)) return keyring
  const [, block = ''] = /-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n([\s\S]*?)-----END/.exec(text) ?? []
  return Buffer.from(block.replace(/^=.*$/m, ''), 'base64')
}

function* packetsOf(bytes: Uint8Array): Generator<Packet> {
  for (let at = 0; at < bytes.length; ) {
    const { tag, from, length } = headerOf(bytes, at)
    const end = from + length
    if (end > bytes.length) throw new Error('It is cut off')
    yield { tag, bytes: bytes.subarray(at, end), body: bytes.subarray(from, end) }
    at = end
  }
}

function headerOf(bytes: Uint8Array, at: number) {
  const [first = 0] = bytes.subarray(at, at + 1)
  if ((first & 0x80) === 0) throw new Error('It is not an OpenPGP keyring')
  const isNew = (first & 0x40) !== 0
  const size = isNew ? newSize(bytes, at + 1) : oldSize(bytes, at + 1, first & 3)
  if (!size) throw new Error('It is not an OpenPGP keyring')
  const tag = isNew ? first & 0x3f : (first >> 2) & 0xf
  return { tag, from: at + 1 + size.digits, length: size.length }
}

function newSize(bytes: Uint8Array, at: number) {
  const [first = 0, second = 0] = bytes.subarray(at, at + 2)
  if (first < 192) return { digits: 1, length: first }
  if (first < 224) return { digits: 2, length: ((first - 192) << 8) + second + 192 }
  return first === 255 ? { digits: 5, length: number(bytes.subarray(at + 1, at + 5)) } : undefined
}

function oldSize(bytes: Uint8Array, at: number, kind: number) {
  const digits = [1, 2, 4][kind]
  return digits && { digits, length: number(bytes.subarray(at, at + digits)) }
}

const number = (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum * 256 + byte, 0)

/** Source: RFC 9580, section 6.1.1. */
function crc24(bytes: Uint8Array): Uint8Array {
  let crc = 0xb704ce
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit++)
      crc = (crc & 0x800000) === 0 ? crc << 1 : (crc << 1) ^ 0x864cfb
  }
  return Uint8Array.of((crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff)
}
