import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { invalid } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { LoginDeps } from './login.ts'
import { findUser } from './queries.ts'
import type { Throttle } from './throttle.ts'

type Deps = Pick<LoginDeps, 'db' | 'marks' | 'passwords' | 'throttle'>

interface PasswordConfirmation {
  what: Parameters<Throttle['confirm']>[0]
  password: Secret
  field: string
}

/**
 * Requires the password of the owner of a session: a stolen session is not enough. Throws 422 for a
 * wrong one, and 429 after five of them; failed logins of others do not count here.
 */
export async function confirmPassword(
  { db, marks, passwords, throttle }: Deps,
  { user, jti }: Caller,
  { what, password, field }: PasswordConfirmation,
): Promise<void> {
  const attempt = throttle.confirm(what, jti)
  const matches = await findUser({ db, marks }, user.id)
    .then((found) =>
      passwords.verify(password, found?.password_hash, { by: jti, known: true, delay_ms: 0 }),
    )
    .catch((error: unknown) => {
      attempt.withdraw()
      throw error
    })
  if (!matches) throw invalid({ [field]: ['Is not the current password'] })
  attempt.succeed()
}
