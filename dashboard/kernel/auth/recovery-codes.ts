import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Random, randomOf } from '#dashboard/kernel/runtime/random.ts'

const MAX_CODES = 10
/** The letters and digits of base32: 5 bits each, so a code of ten has 50. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const CHARACTERS = 10

/** Makes new codes, such as `k3w7q-x2mhd`. */
export function makeRecoveryCodes(random: Random): string[] {
  return Array.from({ length: MAX_CODES }, () => {
    const text = randomOf(random, ALPHABET, CHARACTERS)
    return `${text.slice(0, CHARACTERS / 2)}-${text.slice(CHARACTERS / 2)}`
  })
}

/**
 * Returns the stored form of codes. The key is the secret of the factor, which is sealed in the
 * records: whoever reads them cannot search for the codes.
 */
export const hashesOf = (codes: readonly string[], secret: Uint8Array): string =>
  codes.map((code) => hashOf(code, secret)).join(' ')

/** Returns the stored hashes without that of a code; undefined for a code that is not one of them. */
export function withoutCode(stored: string, code: string, secret: Uint8Array): string | undefined {
  const given = Buffer.from(hashOf(code, secret))
  const hashes = listed(stored)
  const others = hashes.filter((hash) => {
    const own = Buffer.from(hash)
    return own.length !== given.length || !timingSafeEqual(own, given)
  })
  return others.length === hashes.length ? undefined : others.join(' ')
}

export const countCodes = (stored: string): number => listed(stored).length

const listed = (stored: string): string[] => (stored === '' ? [] : stored.split(' '))

function hashOf(code: string, secret: Uint8Array): string {
  const plain = code.toLowerCase().replace(/[\s-]/g, '')
  return createHmac('sha256', secret).update(`recovery code ${plain}`).digest('base64url')
}
