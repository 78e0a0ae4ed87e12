import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { ignoreStorageFault } from '#dashboard/kernel/db/connect.ts'
import type { Admission, Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { ApiToken, CreateApiToken } from '#shared/kernel/api/auth.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import {
  deleteApiToken,
  findApiToken,
  insertApiToken,
  listApiTokens,
  recordFirstUse,
  touchApiToken,
} from './api-tokens.queries.ts'
import { confirmPassword } from './confirm-password.ts'
import { findGrants } from './grants.queries.ts'
import { type LoginDeps, prefixOf } from './login.ts'

const PREFIX = 'hc_'
/** The precision of `last_used_at`: a write for each request would be too expensive. */
const TOUCH_MS = 60_000
const DAY_MS = 24 * 3600_000

type Deps = Pick<CommonDeps, 'db' | 'clock'>

/** Creates a token, of which the records hold the hash. Throws 422 for a wrong password. */
export async function createApiToken(
  deps: LoginDeps,
  caller: Caller,
  { name, scope, password, code, expires_in_days }: z.output<typeof CreateApiToken>,
): Promise<{ token: ApiToken; plaintext: Secret }> {
  const { clock, random } = deps
  const { user } = caller
  await confirmPassword(deps, caller, { what: 'new token', password, code, field: 'password' })
  const plaintext = new Secret(PREFIX + randomText(random, 32))
  const created_at = timestamp(clock)
  const expires_at = timestamp(clock, expires_in_days * DAY_MS)
  const hash = sha256(plaintext)
  const values = { user_id: user.id, name, hash, scope, created_at, expires_at }
  const detail = `${name}, ${scope}`
  const entry = entryOf(clock, { type: 'auth.token_create', user_id: user.id, detail })
  await insertApiToken(deps, values, entry)
  const found = await findApiToken(deps, values.hash)
  if (!found) throw new Error('insert returned no row')
  return { token: found.token, plaintext }
}

/** Removes a token. Throws 404 for one of another user. */
export async function removeApiToken({ db, clock }: Deps, { user }: Caller, id: number) {
  const token = (await listApiTokens(db, user.id)).find((one) => one.id === id)
  const detail = token?.name ?? null
  const entry = entryOf(clock, { type: 'auth.token_delete', user_id: user.id, detail })
  if (!(await deleteApiToken(db, user.id, id, entry))) throw notFound('Token')
}

/**
 * Returns the caller of an API token; undefined when the token is unknown or expired. Its first use
 * from an address is an entry of the activity; an empty address is unknown.
 */
export async function findTokenCaller(
  { db, marks, clock }: Deps & Pick<LoginDeps, 'marks'>,
  plaintext: Secret,
  address: string,
): Promise<Admission | undefined> {
  if (!plaintext.reveal().startsWith(PREFIX)) return undefined
  const found = await findApiToken({ db, marks }, sha256(plaintext))
  if (!found || found.token.expires_at <= timestamp(clock)) return undefined
  const { id, name, scope, last_used_at, expires_at } = found.token
  if (isDue(last_used_at, TOUCH_MS, clock.now()))
    await touchApiToken(db, id, timestamp(clock)).catch(ignoreStorageFault)
  const touched = last_used_at === null ? 0 : Date.parse(last_used_at) + TOUCH_MS
  const { user } = found
  if (address !== '') {
    const source = { via: 'token', token: name, address } as const
    const entry = entryOf(clock, { type: 'auth.token_use', user_id: user.id, ...source })
    const first = { token_id: id, address: prefixOf(address), first_at: timestamp(clock) }
    await recordFirstUse(db, first, entry).catch(ignoreStorageFault)
  }
  const held = await findGrants({ db, marks }, user.id)
  const caller = { user, ...held, jti: '', token_id: id, token_name: name, scope }
  return { caller, until: Math.min(touched, Date.parse(expires_at)) }
}

function sha256(secret: Secret): string {
  return new Bun.CryptoHasher('sha256').update(secret.reveal()).digest('hex')
}
