import type { Site } from '#agent/kernel/site/sites.ts'
import { shop } from './debian.ts'

/** SHA-1 of `letmein` and a salt, as nginx reads it. */
const password_hash = hashOf('letmein')
export const STAGING = { of: 'shop.example', user: 'staging', password_hash }

/** A protected copy of the shop. */
export const copy: Site = {
  ...shop,
  domain: 'staging.shop.example',
  user: 'staging-shop',
  staging: STAGING,
}

/** As a dashboard makes it: RFC 2307. */
export function hashOf(password: string, salt: string | Uint8Array = 'salt salt'): string {
  const digest = new Bun.CryptoHasher('sha1').update(password).update(salt).digest()
  return `{SSHA}${Buffer.concat([digest, Buffer.from(salt)]).toString('base64')}`
}
