import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import type { ChangePassword } from '#shared/kernel/api/auth.ts'
import { unauthorized } from '#shared/kernel/errors.ts'
import { confirmPassword } from './confirm-password.ts'
import type { LoginDeps } from './login.ts'
import { findUser, updatePassword } from './queries.ts'

/** Changes the password, and ends other sessions and, with `end_tokens`, all API tokens. */
export async function changePassword(
  deps: LoginDeps,
  caller: Caller,
  { current_password, password, end_tokens }: z.output<typeof ChangePassword>,
): Promise<void> {
  const given = { password: current_password, field: 'current_password' }
  await confirmPassword(deps, caller, { what: 'password change', ...given })
  const password_hash = await deps.passwords.hash(password)
  const user = await findUser(deps, caller.user.id)
  if (!user) throw unauthorized()
  await updatePassword(
    deps,
    { user, password_hash, keep: caller.jti, end_tokens },
    entryOf(deps.clock, { type: 'auth.password', user_id: user.id }),
  )
}
