import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { ignoreStorageFault } from '#dashboard/kernel/db/connect.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import type { Admission, Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { ApiToken, CreateApiToken, NewToken } from '#shared/kernel/api/auth.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { isInNetworks } from '#shared/kernel/networks.ts'
import type { Part } from '#shared/kernel/rights.ts'
import { Secret } from '#shared/kernel/secret.ts'
import {
  deleteApiToken,
  findApiToken,
  insertApiToken,
  isConfirmedStill,
  listTokenRows,
  recordFirstUse,
  recordRefused,
  type TokenRow,
  touchApiToken,
} from './api-tokens.queries.ts'
import { confirmPassword } from './confirm-password.ts'
import { type LoginDeps, prefixOf } from './login.ts'
import type { MarkedRecords, WriteCondition } from './queries.ts'
import { findFleetPlaces, findGrantsWithin } from './token-limits.queries.ts'
import { refuseUnknownLimits, showLimits } from './token-limits.ts'

const PREFIX = 'hc_'
/** The precision of `last_used_at`: a write for each request would be too expensive. */
const TOUCH_MS = 60_000
const DAY_MS = 24 * 3600_000

type Deps = Pick<CommonDeps, 'clock'> & MarkedRecords

type Holder = Pick<Caller, 'grants' | 'parts'>

/** Lists the tokens of the caller, the newest first. */
export async function listApiTokens(deps: MarkedRecords, caller: Caller): Promise<ApiToken[]> {
  return showTokens(deps, await listTokenRows(deps, [caller.user.id]), caller)
}

/** Returns tokens as somebody may see them: with the names of the places where they have rights. */
export async function showTokens(
  { db }: Pick<MarkedRecords, 'db'>,
  rows: readonly TokenRow[],
  holder: Holder,
): Promise<ApiToken[]> {
  const limits = rows.map(partsIn)
  const places = await findFleetPlaces(
    db,
    limits.flatMap((parts) => parts ?? []),
  )
  return rows.map((row, at) => ({
    id: row.id,
    name: row.name,
    scope: row.scope,
    addresses: addressesIn(row),
    only_for: limits[at] ? showLimits(holder, limits[at], places) : null,
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    last_address: row.last_address,
    refused: row.refused,
  }))
}

/** Returns the parts of the fleet that a token is limited to; its mark covers them. */
const partsIn = ({ only_for }: Pick<TokenRow, 'only_for'>): Part[] | null =>
  only_for === null ? null : JSON.parse(only_for)
/** Returns the networks from which a token may be used; its mark covers them. */
const addressesIn = ({ addresses }: Pick<TokenRow, 'addresses'>): string[] | null =>
  addresses === null ? null : JSON.parse(addresses)

/** Creates a token, of which the records hold the hash. Throws 422 for a wrong password. */
export async function createApiToken(
  deps: LoginDeps,
  caller: Caller,
  { password, code, ...token }: z.output<typeof CreateApiToken>,
): Promise<CreatedToken> {
  const given = { what: 'new token', password, code, field: 'password' } as const
  const user = await confirmPassword(deps, caller, given)
  const condition = isConfirmedStill(user, caller.jti)
  return makeToken(deps, caller, { token, user_id: user.id, condition })
}

export interface CreatedToken {
  token: ApiToken
  plaintext: Secret
}

interface TokenOfAccount {
  token: NewToken
  user_id: number
  /** The name of the account, if it is not that of the caller. */
  account?: string
  condition?: WriteCondition
}

/**
 * Makes a token of an account. Throws 422 for parts of the fleet that the caller cannot see, and 409
 * if the condition does not hold.
 */
export async function makeToken(
  { db, marks, clock, random }: Deps & Pick<CommonDeps, 'random'>,
  caller: Caller,
  { token, user_id, account, condition }: TokenOfAccount,
): Promise<CreatedToken> {
  const { name, scope, expires_in_days, addresses, only_for } = token
  refuseUnknownLimits(caller, only_for, await findFleetPlaces(db, only_for ?? []))
  const plaintext = new Secret(PREFIX + randomText(random, 32))
  const values = {
    user_id,
    name,
    hash: sha256(plaintext),
    scope,
    addresses: addresses && JSON.stringify(addresses),
    only_for: only_for && JSON.stringify(only_for),
    created_at: timestamp(clock),
    expires_at: timestamp(clock, expires_in_days * DAY_MS),
  }
  const detail = `${nameOf(name, account)}, ${scope}${limitsIn(token)}`
  const entry = entryOf(clock, { type: 'auth.token_create', user_id: caller.user.id, detail })
  const row = await insertApiToken({ db, marks }, values, entry, condition)
  if (!row) throw conflict('The account was changed meanwhile: try again', 'changed_meanwhile')
  const [made] = await showTokens({ db }, [row], caller)
  if (!made) throw new Error('insert returned no row')
  return { token: made, plaintext }
}

const nameOf = (name: string, account: string | undefined): string =>
  account === undefined ? name : `${name} of ${account}`

/** Writes the limits of a token for the activity, such as `, only from 203.0.113.7, only for site 5`. */
function limitsIn({ addresses, only_for }: Pick<NewToken, 'addresses' | 'only_for'>): string {
  const parts = (only_for ?? []).map(({ tag, server_id, site_id }) => {
    if (site_id !== null) return `site ${site_id}`
    return server_id === null ? `the tag ${tag}` : `server ${server_id}`
  })
  const from = addresses ? `, only from ${addresses.join(', ')}` : ''
  return only_for ? `${from}, only for ${parts.join(', ')}` : from
}

/** Removes a token of the caller. Throws 404 for one of another user. */
export function removeApiToken(deps: Deps, caller: Caller, id: number): Promise<void> {
  return deleteToken(deps, caller, { id, user_id: caller.user.id })
}

/** Deletes a token of an account. Throws 404 if the account has no such token. */
export async function deleteToken(
  deps: Deps,
  { user }: Caller,
  token: Pick<TokenRow, 'id' | 'user_id'> & Pick<TokenOfAccount, 'account' | 'condition'>,
): Promise<void> {
  const row = (await listTokenRows(deps, [token.user_id])).find(({ id }) => id === token.id)
  if (!row) throw notFound('Token')
  const detail = nameOf(row.name, token.account)
  const entry = entryOf(deps.clock, { type: 'auth.token_delete', user_id: user.id, detail })
  if (!(await deleteApiToken(deps.db, token, entry, token.condition))) throw notFound('Token')
}

/**
 * Returns the caller of an API token; undefined when the token is unknown, expired, or used from an
 * address that it does not allow. Its first use from an address is an entry of the activity; an empty
 * address is unknown.
 */
export async function findTokenCaller(
  { db, marks, clock }: Deps,
  plaintext: Secret,
  address: string,
): Promise<Admission | undefined> {
  if (!plaintext.reveal().startsWith(PREFIX)) return undefined
  const found = await findApiToken({ db, marks }, sha256(plaintext))
  if (!found || found.token.expires_at <= timestamp(clock)) return undefined
  const { user, token } = found
  const { id, name, scope, last_used_at, expires_at } = token
  const [addresses, only_for] = [addressesIn(token), partsIn(token)]
  const source = { via: 'token', token: name, address: address || null } as const
  if (addresses && !isInNetworks(address, addresses)) {
    const refused = { type: 'auth.token_refused', status: 'failed', user_id: user.id } as const
    const entry = entryOf(clock, { ...refused, ...source })
    await countRefused({ db, clock }, id, entry).catch(ignoreStorageFault)
    return undefined
  }
  if (isDue(last_used_at, TOUCH_MS, clock.now())) {
    const use = { last_used_at: timestamp(clock), address }
    await touchApiToken(db, id, use).catch(ignoreStorageFault)
  }
  const touched = last_used_at === null ? 0 : Date.parse(last_used_at) + TOUCH_MS
  if (address !== '') {
    const entry = entryOf(clock, { type: 'auth.token_use', user_id: user.id, ...source })
    const first = { token_id: id, address: prefixOf(address), first_at: timestamp(clock) }
    await recordFirstUse(db, first, entry).catch(ignoreStorageFault)
  }
  const held = await findGrantsWithin({ db, marks }, user.id, only_for)
  const caller = { user, ...held, jti: '', token_id: id, token_name: name, scope, only_for }
  // A cached answer is sent to any address.
  const until = addresses ? 0 : Math.min(touched, Date.parse(expires_at))
  return { caller, until }
}

/** The refused uses of each token that are not written yet, and when some were written last (Unix ms). */
const refusedUses = new WeakMap<Database, Map<number, { count: number; written: number }>>()

/** Counts a refused use, and writes at most once a minute: a stolen token cannot keep the records busy. */
async function countRefused(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  id: number,
  entry: NewActivity,
): Promise<void> {
  const uses = refusedUses.get(db) ?? new Map<number, { count: number; written: number }>()
  refusedUses.set(db, uses)
  const now = clock.now()
  const { count, written } = uses.get(id) ?? { count: 0, written: 0 }
  const isWritten = Math.abs(now.getTime() - written) >= TOUCH_MS
  uses.set(id, isWritten ? { count: 0, written: now.getTime() } : { count: count + 1, written })
  if (isWritten) await recordRefused(db, { id, count: count + 1, now }, entry)
}

function sha256(secret: Secret): string {
  return new Bun.CryptoHasher('sha256').update(secret.reveal()).digest('hex')
}
