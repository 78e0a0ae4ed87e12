import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { LoginDeps } from './login.ts'
import { findUser } from './queries.ts'
import type { Throttle } from './throttle.ts'
import { ASKS_CODE, type FactorDeps, useCode, WRONG_CODE } from './use-code.ts'

type Deps = FactorDeps & Pick<LoginDeps, 'passwords' | 'throttle'>

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
 * Requires the password of the owner of a session, and a code if the account has a second factor: a
 * stolen session is not enough. Throws 422 for a wrong one, 409 with `second_factor_needed` without
 * the code, and 429 after five wrong ones; failed logins of others do not count here.
 */
export async function confirmPassword(
  deps: Deps,
  caller: Caller,
  { what, password, field, code }: PasswordConfirmation,
): Promise<void> {
  const attempt = deps.throttle.confirm(what, caller.jti)
  const withdraw = (error: unknown) => {
    attempt.withdraw()
    throw error
  }
  const user = await verified(deps, caller, password).catch(withdraw)
  if (!user) throw invalid({ [field]: ['Is not the current password'] })
  if (user.factor_id !== '') {
    // It does not end the count of failures: the code may still be guessed.
    if (code === undefined) return withdraw(conflict(ASKS_CODE, 'second_factor_needed'))
    const used = await useCode(deps, user, code).catch(withdraw)
    if (!used) throw invalid({ code: [WRONG_CODE] })
  }
  attempt.succeed()
}

/** Returns the user; undefined for a wrong password. */
async function verified(
  deps: Deps,
  { user, jti }: Caller,
  password: Secret,
): Promise<UserRow | undefined> {
  const found = await findUser(deps, user.id)
  if (found?.password_hash === '') throw conflict(NO_PASSWORD)
  const origin = { by: jti, known: true, delay_ms: 0 }
  return (await deps.passwords.verify(password, found?.password_hash, origin)) ? found : undefined
}
