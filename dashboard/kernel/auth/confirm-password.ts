import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { requireConfirmed } from '#dashboard/kernel/http/rights.ts'
import { conflict, invalid, type ServiceError } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { LoginDeps } from './login.ts'
import { findUser, hasFactor } from './queries.ts'
import type { Throttle } from './throttle.ts'
import { ASKS_CODE, useCode, WRONG_CODE } from './use-code.ts'
import { ASKS_PASSKEY } from './use-passkey.ts'

const NO_PASSWORD =
  'Your account has no password: log out and log in again, which counts as a confirmation for ten minutes'

interface PasswordConfirmation {
  what: Parameters<Throttle['confirm']>[0]
  password: Secret
  field: string
  /** The code of the second factor. */
  code?: Secret | undefined
}

/**
 * Requires the password of the owner of a session, and a second factor if the account has one: a
 * stolen session is not enough. That is a code, or a passkey with which the session was opened or
 * confirmed in the last ten minutes. Throws 422 for a wrong one, 409 with `second_factor_needed`,
 * `passkey_needed` or `confirmation_needed` without it, and 429 after five wrong ones; failed logins
 * of others do not count here. Returns the user whose password was verified: the change is written
 * only while the user is that, as the check may have waited for others.
 */
export async function confirmPassword(
  deps: LoginDeps,
  caller: Caller,
  { what, password, field, code }: PasswordConfirmation,
): Promise<UserRow> {
  const attempt = deps.throttle.confirm(what, caller.jti)
  const withdraw = (error: unknown) => {
    attempt.withdraw()
    throw error
  }
  const user = await verified(deps, caller, password).catch(withdraw)
  if (!user) throw invalid({ [field]: ['Is not the current password'] })
  if (hasFactor(user)) {
    // A withdrawal does not end the count of failures: the code may still be guessed.
    if (code === undefined) {
      if (what === 'confirmation' || user.passkeys === 0) return withdraw(factorNeeded(user))
      // Each confirmation of an account with a passkey has proven a factor.
      await Promise.try(requireConfirmed, deps.clock, caller).catch(withdraw)
    } else if (!(await useCode(deps, user, code).catch(withdraw)))
      throw invalid({ code: [WRONG_CODE] })
  }
  attempt.succeed()
  return user
}

const factorNeeded = ({ factor_id }: UserRow): ServiceError =>
  factor_id === ''
    ? conflict(ASKS_PASSKEY, 'passkey_needed')
    : conflict(ASKS_CODE, 'second_factor_needed')

/** Returns the user; undefined for a wrong password. */
async function verified(
  deps: LoginDeps,
  { user, jti }: Caller,
  password: Secret,
): Promise<UserRow | undefined> {
  const found = await findUser(deps, user.id)
  if (found?.password_hash === '') throw conflict(NO_PASSWORD)
  const origin = { by: jti, known: true, delay_ms: 0 }
  return (await deps.passwords.verify(password, found?.password_hash, origin)) ? found : undefined
}
