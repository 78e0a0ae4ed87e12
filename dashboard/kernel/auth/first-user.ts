import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { Secret } from '#shared/kernel/secret.ts'
import type { FirstLogin } from './first-login.ts'
import { insertUser } from './grants.queries.ts'
import type { Passwords } from './passwords.ts'
import { hasUsers } from './queries.ts'

/** The id of the first account, which only one of several dashboards creates. */
const FIRST_USER = 1
const DEFAULT_EMAIL = 'admin@example.com'

interface Deps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  passwords: Passwords
  marks: Marks
  /** Stores a generated password for its owner; returns a function that removes it again. */
  keep?: (login: FirstLogin) => Promise<() => Promise<unknown>>
}

interface AdminAccount {
  ADMIN_EMAIL?: string | undefined
  ADMIN_PASSWORD?: string | undefined
}

/** Creates the first account, which is an owner. Returns the generated password to print, if any. */
export async function makeFirstUser(
  { db, marks, clock, random, passwords, keep }: Deps,
  { ADMIN_EMAIL, ADMIN_PASSWORD }: AdminAccount,
): Promise<FirstLogin | undefined> {
  if (await hasUsers(db)) return undefined
  const email = (ADMIN_EMAIL ?? DEFAULT_EMAIL).toLowerCase()
  const password = ADMIN_PASSWORD ?? randomText(random, 18)
  const password_hash = await passwords.hash(new Secret(password))
  const created_at = timestamp(clock)
  const values = { id: FIRST_USER, email, name: 'Administrator', password_hash, created_at }
  const forget = ADMIN_PASSWORD === undefined ? await keep?.({ email, password }) : undefined
  const made = await insertUser({ db, marks }, values, ['owner'])
  // Another dashboard was faster: the password belongs to no account.
  if (!made) await forget?.()
  return made && ADMIN_PASSWORD === undefined ? { email, password } : undefined
}
