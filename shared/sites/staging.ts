import { z } from 'zod'
import { Domain } from '#shared/kernel/fields.ts'

/** The name for basic authentication: nginx separates it from the password with a colon. */
export const StagingUser = z
  .string()
  .regex(/^[A-Za-z0-9._@-]{1,64}$/, 'Must have 1 to 64 of A-Z a-z 0-9 . _ @ -')

/**
 * The hash of a password as nginx reads it: crypt(3) with SHA-512, or salted SHA-1 in Base64. nginx
 * checks it with every request, so a slow one is for passwords that a person chose; a random
 * password of 128 bits or more is safe with the fast one.
 */
export const StagingPasswordHash = z
  .string()
  .max(200)
  .regex(
    /^(?:\$6\$(?:rounds=\d{4,5}\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{86}|\{SSHA\}[A-Za-z0-9+/]{32,88}={0,2})$/,
    'Must be a SHA-512 hash of crypt(3), or {SSHA}',
  )

/** The setting that makes a site a staging site: protected, without mail and jobs. */
export const Staging = z
  .object({
    /** The live site of which it is a copy. */
    of: Domain,
    user: StagingUser,
    password_hash: StagingPasswordHash,
  })
  .strict()
export type Staging = z.infer<typeof Staging>
