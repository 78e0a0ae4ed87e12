import { isIP } from 'node:net'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import { ipv6Groups } from '#dashboard/kernel/runtime/ipv6.ts'
import type { Login } from '#shared/kernel/api/auth.ts'
import { unauthorized } from '#shared/kernel/errors.ts'
import type { Devices } from './devices.ts'
import type { Passwords } from './passwords.ts'
import { findUserByEmail, publicUser } from './queries.ts'
import { openSession, type SessionDeps, type SessionOrigin, WRONG_LOGIN } from './sessions.ts'
import type { Attempt, Origin, Throttle } from './throttle.ts'
import { ASKS_CODE, type FactorDeps, type UsedCode, useCode, WRONG_CODE } from './use-code.ts'

export interface LoginDeps extends SessionDeps, FactorDeps {
  passwords: Passwords
  throttle: Throttle
  devices: Devices
}

/**
 * Logs a user in. Throws 401 for wrong credentials, with `second_factor_needed` for a right password
 * without the code that the account needs, and 429 after too many failures.
 */
export async function login(
  deps: LoginDeps,
  credentials: Login,
  from: SessionOrigin & { device: string | undefined },
) {
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
  if (checked.factor_id !== '' && credentials.code === undefined)
    return withdraw(unauthorized(ASKS_CODE, 'second_factor_needed'))
  const used = await passFactor(deps, checked, credentials).catch(withdraw)
  if (!used) throw unauthorized(WRONG_CODE, 'second_factor_wrong')
  attempt.succeed()
  const user = publicUser(checked)
  const token = await openSession(deps, user, from, { checked, ...used })
  return { user, token, device: deps.devices.issue(email, device) }
}

/** Uses the code, if the user has a second factor. Returns undefined for a wrong one: recorded. */
async function passFactor(
  deps: LoginDeps,
  user: UserRow,
  { code }: Pick<Login, 'code'>,
): Promise<UsedCode | undefined> {
  if (user.factor_id === '' || code === undefined) return { detail: null }
  const used = await useCode(deps, user, code)
  if (!used) await recordFailure(deps, user.id, 'the code was wrong, the password was not')
  return used
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
