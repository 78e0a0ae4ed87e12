import { createHash } from 'node:crypto'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { randomOf } from '#dashboard/kernel/runtime/random.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz012345'

/** Makes the part of the name of a temporary user that nobody else has. */
export const newToken = (random: CommonDeps['random']): string => randomOf(random, LETTERS, 10)

/** Computes `PASSWORD()` of MariaDB. */
export function hashOf(password: string): string {
  const once = createHash('sha1').update(password).digest()
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`
}
