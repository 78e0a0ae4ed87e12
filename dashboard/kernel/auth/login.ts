import { isIP } from 'node:net'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import { ipv6Groups } from '#dashboard/kernel/runtime/ipv6.ts'
import type { Login, User } from '#shared/kernel/api/auth.ts'
import { unauthorized } from '#shared/kernel/errors.ts'
import type { Devices } from './devices.ts'
import type { Passwords } from './passwords.ts'
import { findUserByEmail } from './queries.ts'
import { openSession, type SessionDeps } from './sessions.ts'
import type { Attempt, Origin, Throttle } from './throttle.ts'

export interface LoginDeps extends SessionDeps {
  passwords: Passwords
  throttle: Throttle
  devices: Devices
}

/** Logs a user in. Throws 401 for wrong credentials, and 429 after too many failures. */
export async function login(
  deps: LoginDeps,
  credentials: Login,
  from: { address: string; device: string | undefined },
) {
  const email = credentials.email.toLowerCase()
  const device = deps.devices.idOf(from.device, email)
  const origin = { address: prefixOf(from.address), device }
  const attempt = deps.throttle.login(email, origin)
  const user = await verify(deps, { ...credentials, email }, origin, attempt).catch(
    (error: unknown) => {
      attempt.withdraw()
      throw error
    },
  )
  if (!user) throw unauthorized('Invalid email or password')
  attempt.succeed()
  return { user, token: await openSession(deps, user), device: deps.devices.issue(email, device) }
}

/** Returns the user; undefined for wrong credentials, which are recorded. */
async function verify(
  deps: LoginDeps,
  { email, password }: Login,
  { address, device }: Origin,
  { delay_ms }: Attempt,
): Promise<User | undefined> {
  const found = await findUserByEmail(deps, email)
  const from = { by: device ?? address, known: device !== undefined, delay_ms }
  if ((await deps.passwords.verify(password, found?.password_hash, from)) && found)
    return { id: found.id, email: found.email, name: found.name }
  const failure = { type: 'auth.login', status: 'failed', user_id: found?.id ?? null } as const
  await recordActivity(deps.db, entryOf(deps.clock, failure))
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
