import { createHash } from 'node:crypto'

const sha1 = (bytes: string | Uint8Array) => createHash('sha1').update(bytes).digest()

/** Returns the hash of a password in the format of mysql_native_password. */
export const passwordHash = (password: string): string =>
  `*${sha1(sha1(password)).toString('hex').toUpperCase()}`
