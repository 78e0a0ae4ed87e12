import { recordActivity } from '#dashboard/activity/queries.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { Login, type User } from '#shared/api/auth.ts'
import { unauthorized } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import type { Passwords } from './passwords.ts'
import { findUserByEmail } from './queries.ts'
import { openSession, type SessionDeps } from './sessions.ts'
import type { Throttle } from './throttle.ts'

export interface LoginDeps extends SessionDeps {
  passwords: Passwords
  throttle: Throttle
}

/** 401 for wrong credentials, whichever of them is wrong; 429 after too many failures. */
export async function login(
  deps: LoginDeps,
  input: unknown,
  address: string,
): Promise<{ user: User; token: string }> {
  const { email, password } = parse(Login, input)
  const account = email.toLowerCase()
  const forgive = deps.throttle.take(account, address)
  const found = await findUserByEmail(deps.db, account)
  if (!(await deps.passwords.verify(password, found?.password_hash)) || !found) {
    await recordFailure(deps, found?.id ?? null)
    throw unauthorized('Invalid email or password')
  }
  forgive()
  const user = { id: found.id, email: found.email, name: found.name }
  return { user, token: await openSession(deps, user) }
}

function recordFailure({ db, clock }: LoginDeps, user_id: number | null): Promise<void> {
  const created_at = timestamp(clock)
  return recordActivity(db, {
    type: 'auth.login',
    domain: '',
    status: 'failed',
    user_id,
    created_at,
  })
}
