import { isIP } from 'node:net'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import { ipv6Groups } from '#dashboard/kernel/runtime/ipv6.ts'
import type { Login, User } from '#shared/kernel/api/auth.ts'
import type { PasskeyProof } from '#shared/kernel/api/passkeys.ts'
import { unauthorized } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { Devices } from './devices.ts'
import { findPasskey } from './passkeys.queries.ts'
import type { Passwords } from './passwords.ts'
import { findUser, findUserByEmail, hasFactor, publicUser } from './queries.ts'
import { openSession, type SessionDeps, type SessionOrigin, WRONG_LOGIN } from './sessions.ts'
import type { Attempt, Origin, Throttle } from './throttle.ts'
import { ASKS_CODE, type FactorDeps, type UsedCode, useCode, WRONG_CODE } from './use-code.ts'
import {
  ASKS_PASSKEY,
  type PasskeyDeps,
  type UsedPasskey,
  usePasskey,
  WRONG_PASSKEY,
} from './use-passkey.ts'

export interface LoginDeps extends SessionDeps, FactorDeps, PasskeyDeps {
  passwords: Passwords
  throttle: Throttle
  devices: Devices
}

/** The origin of a login, with the cookies of its browser. */
interface LoginOrigin extends SessionOrigin {
  device: string | undefined
  attempt?: string | undefined
}

export interface LoggedIn {
  user: User
  token: string
  device: string
}

/**
 * Logs a user in. Throws 401 for wrong credentials, with `second_factor_needed` or `passkey_needed` for
 * a right password without what the account also needs, and 429 after too many failures.
 */
export async function login(
  deps: LoginDeps,
  credentials: Login,
  from: LoginOrigin,
): Promise<LoggedIn> {
  const email = credentials.email.toLowerCase()
  const device = deps.devices.idOf(from.device, email)
  const origin = { address: prefixOf(from.address), device }
  const attempt = deps.throttle.login(email, origin)
  const withdraw = (error: unknown) => {
    attempt.withdraw()
    throw error
  }
  const checked = await verify(deps, { ...credentials, email }, origin, attempt).catch(withdraw)
  if (!checked) throw unauthorized(WRONG_LOGIN)
  // It does not end the count of failures: the code may still be guessed.
  if (hasFactor(checked) && !credentials.code && !credentials.passkey)
    return withdraw(factorNeeded(checked))
  const used = await passFactor(deps, checked, credentials, from, device).catch(withdraw)
  if (!used)
    throw unauthorized(credentials.passkey ? WRONG_PASSKEY : WRONG_CODE, 'second_factor_wrong')
  attempt.succeed()
  const user = publicUser(checked)
  const token = await openSession(deps, user, from, { checked, ...used })
  return { user, token, device: deps.devices.issue(email, device) }
}

const factorNeeded = ({ factor_id }: UserRow) =>
  factor_id === ''
    ? unauthorized(ASKS_PASSKEY, 'passkey_needed')
    : unauthorized(ASKS_CODE, 'second_factor_needed')

/** Uses the factor, if the user has one. Returns undefined for a wrong one: recorded. */
async function passFactor(
  deps: LoginDeps,
  user: UserRow,
  { code, passkey }: Pick<Login, 'code' | 'passkey'>,
  { attempt = '' }: LoginOrigin,
  device: string | undefined,
): Promise<UsedCode | undefined> {
  if (!hasFactor(user)) return { detail: null }
  if (passkey) {
    const expected = { purpose: 'login', bound_to: attempt, user_id: user.id } as const
    const found = await usePasskey(deps, passkey, expected)
    if (found && found.refusal === undefined) return usedPasskey(found)
    await recordFailure(deps, user.id, `the password was right. ${found?.refusal ?? WRONG_PASSKEY}`)
    return undefined
  }
  const used = code && (await useLoginCode(deps, user, code, device))
  if (!used) await recordFailure(deps, user.id, 'the code was wrong, the password was not')
  return used
}

/**
 * Uses the code of a login whose first factor was right. Returns undefined for a wrong one, and
 * throws 429 after too many of them. `device` is a known one.
 */
export async function useLoginCode(
  deps: FactorDeps & Pick<LoginDeps, 'throttle'>,
  user: UserRow,
  code: Secret,
  device: string | undefined,
): Promise<UsedCode | undefined> {
  const attempt = deps.throttle.code(user.email, device)
  const used = await useCode(deps, user, code).catch((error: unknown) => {
    attempt.withdraw()
    throw error
  })
  if (used) attempt.succeed()
  return used
}

const usedPasskey = ({ passkey }: UsedPasskey): UsedCode => ({
  detail: `with the passkey ${passkey.name}`,
})

/**
 * Logs in whoever has a passkey, which is two factors: the authenticator, and what it verifies its
 * user with. Throws 401 for an unknown or wrong one, and 429 after too many failures.
 */
export async function loginWithPasskey(
  deps: LoginDeps,
  proof: PasskeyProof,
  from: LoginOrigin,
): Promise<LoggedIn> {
  const known = await findPasskey(deps, proof.id)
  const email = (known && (await findUser(deps, known.user_id)))?.email ?? ''
  const device = deps.devices.idOf(from.device, email)
  const attempt = deps.throttle.login(email, { address: prefixOf(from.address), device })
  const expected = { purpose: 'login', bound_to: from.attempt ?? '' } as const
  const found = await usePasskey(deps, proof, expected).catch((error: unknown) => {
    attempt.withdraw()
    throw error
  })
  if (!found || found.refusal !== undefined) {
    await recordFailure(deps, found?.user.id ?? null, found?.refusal ?? WRONG_PASSKEY)
    throw unauthorized(WRONG_PASSKEY)
  }
  attempt.succeed()
  const user = publicUser(found.user)
  const token = await openSession(deps, user, from, { checked: found.user, ...usedPasskey(found) })
  return { user, token, device: deps.devices.issue(email, device) }
}

async function recordFailure(
  { db, clock }: LoginDeps,
  user_id: number | null,
  detail: string | null,
): Promise<void> {
  const failure = { type: 'auth.login', status: 'failed', user_id, detail } as const
  await recordActivity(db, entryOf(clock, failure))
}

/** Returns the user; undefined for wrong credentials, which are recorded. */
async function verify(
  deps: LoginDeps,
  { email, password }: Login,
  { address, device }: Origin,
  { delay_ms }: Attempt,
): Promise<UserRow | undefined> {
  const found = await findUserByEmail(deps, email)
  const from = { by: device ?? address, known: device !== undefined, delay_ms }
  if ((await deps.passwords.verify(password, found?.password_hash, from)) && found) return found
  await recordFailure(deps, found?.id ?? null, null)
  return undefined
}

/**
 * Returns the addresses of one client: an IPv4 address, or an IPv6 network of which each customer
 * gets at least one whole (/64, RFC 6177). An IPv4 address written as IPv6 is that IPv4 address.
 */
export function prefixOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (isIP(plain) !== 6) return plain
  const groups = ipv6Groups(plain)
  const [high = 0, low = 0] = groups.slice(6)
  if (groups.slice(0, 6).join() === '0,0,0,0,0,65535')
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
