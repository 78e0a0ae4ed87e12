import { createHash } from 'node:crypto'
import { type Random, randomText } from '#dashboard/kernel/runtime/random.ts'
import { Secret } from '#shared/kernel/secret.ts'

/** The length of a password, over 128 bits: a fast hash, which nginx checks often, is safe. */
const LENGTH = 22
const SALT_BYTES = 12

/** Makes a new password for visitors of a site, and its hash as nginx reads it. */
export function newPassword(random: Random): { password: Secret; password_hash: string } {
  const password = new Secret(randomText(random, LENGTH))
  return { password, password_hash: hashOf(random, password) }
}

/** Hashes a password as nginx reads it, with a new salt. */
export const hashOf = (random: Random, password: Secret): string =>
  saltedHash(password, Buffer.from(random(SALT_BYTES)))

/** Returns the SHA-1 of password and salt, and the salt, in Base64. */
function saltedHash(password: Secret, salt: Buffer): string {
  const digest = createHash('sha1').update(password.reveal()).update(salt).digest()
  return `{SSHA}${Buffer.concat([digest, salt]).toString('base64')}`
}
