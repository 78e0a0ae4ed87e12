import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import type { MethodAndPath } from '#dashboard/kernel/http/route.ts'
import type { FactorRule, SecondFactor } from '#shared/kernel/api/passkeys.ts'
import { conflict, forbidden, unauthorized } from '#shared/kernel/errors.ts'
import type { Grant, HeldGrants, PartGrantName } from '#shared/kernel/rights.ts'
import { findFactorRule, storeFactorRule } from './factor-rule.queries.ts'
import { findGrants } from './grants.queries.ts'
import { findUser, hasFactor, isServiceAccount, type MarkedRecords } from './queries.ts'

type Account = Pick<Caller, 'user' | 'only_for'> & HeldGrants

/** The calls with which a session sets up its first factor, or ends. */
export const SETUP_CALLS: ReadonlySet<string> = new Set<MethodAndPath>([
  'GET /api/auth/me',
  'GET /api/auth/second-factor',
  'GET /api/auth/totp',
  'POST /api/auth/totp',
  'POST /api/auth/totp/confirm',
  'GET /api/auth/passkeys',
  'POST /api/auth/passkeys/options',
  'POST /api/auth/passkeys',
  'POST /api/auth/confirm',
  'POST /api/auth/logout',
])

const MISSING =
  'This account needs a second factor: sign in, and set up an authenticator app or a passkey'

/**
 * Throws 403 for every call of an account that needs a second factor and has none, but those that
 * set one up. An API token cannot set one up. `call` is the method with the path of the request.
 */
export async function requireFactor(
  records: MarkedRecords,
  caller: Caller,
  call: string,
): Promise<void> {
  if (caller.scope === undefined && SETUP_CALLS.has(call)) return
  if (await lacksFactor(records, caller)) throw forbidden(MISSING, 'second_factor_missing')
}

/**
 * Whether the account needs a second factor, and has none. What a token is limited to does not
 * count, and a service account has no login that a factor could protect.
 */
export async function lacksFactor(
  { db, marks }: MarkedRecords,
  { user, only_for, ...narrowed }: Account,
): Promise<boolean> {
  const rule = await findFactorRule(db)
  if (rule === 'nobody') return false
  const held = only_for ? await findGrants({ db, marks }, user.id) : narrowed
  if (!isRequired(rule, held)) return false
  const found = await findUser({ db, marks }, user.id)
  return found ? !hasFactor(found) : !(await isServiceAccount({ db, marks }, user.id))
}

/** Whether an account needs a second factor; an admin of a part of the fleet is an admin, too. */
function isRequired(rule: FactorRule, { grants, parts }: HeldGrants): boolean {
  if (rule !== 'admins') return rule === 'everybody'
  const given: readonly (Grant | PartGrantName)[] = [...grants, ...parts.map(({ gives }) => gives)]
  return given.includes('admin') || given.includes('owner')
}

/** Throws 409 for a change that leaves an account without the second factor that it needs. */
export async function refuseLastFactor(
  { db }: Pick<MarkedRecords, 'db'>,
  account: Account,
  remaining: Pick<UserRow, 'factor_id' | 'passkeys'>,
): Promise<void> {
  if (hasFactor(remaining) || !isRequired(await findFactorRule(db), account)) return
  throw conflict(
    'Your account needs a second factor: add another one before you remove this one',
    'second_factor_required',
  )
}

export async function showSecondFactor(
  records: MarkedRecords,
  { user, ...held }: Account,
): Promise<SecondFactor> {
  const required_for = await findFactorRule(records.db)
  const found = await findUser(records, user.id)
  return {
    required_for,
    required: isRequired(required_for, held),
    present: found !== undefined && hasFactor(found),
  }
}

/**
 * Changes which accounts need a second factor. Throws 409 for an owner without one, who would be the
 * first to be locked out.
 */
export async function changeFactorRule(
  deps: MarkedRecords & Pick<CommonDeps, 'clock'>,
  { user }: Caller,
  required_for: FactorRule,
): Promise<void> {
  const found = await findUser(deps, user.id)
  if (!found) throw unauthorized()
  if (required_for !== 'nobody' && !hasFactor(found))
    throw conflict(
      'Set up your own second factor first: an authenticator app or a passkey, on the page Account',
      'second_factor_missing',
    )
  const detail = `needed by ${required_for}`
  const entry = entryOf(deps.clock, { type: 'auth.factor_rule', user_id: user.id, detail })
  await storeFactorRule(deps.db, required_for, entry)
}
