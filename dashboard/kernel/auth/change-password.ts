import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import type { ChangePassword } from '#shared/kernel/api/auth.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { confirmPassword } from './confirm-password.ts'
import type { LoginDeps } from './login.ts'
import { updatePassword } from './queries.ts'

/** Changes the password, and ends other sessions and, with `end_tokens`, all API tokens. */
export async function changePassword(
  deps: LoginDeps,
  caller: Caller,
  { current_password, password, end_tokens, code }: z.output<typeof ChangePassword>,
): Promise<void> {
  const given = { password: current_password, field: 'current_password', code }
  const user = await confirmPassword(deps, caller, { what: 'password change', ...given })
  const password_hash = await deps.passwords.hash(password)
  const entry = entryOf(deps.clock, { type: 'auth.password', user_id: user.id })
  const change = { user, password_hash, keep: caller.jti, end_tokens }
  if (!(await updatePassword(deps, change, entry)))
    throw conflict('The account was changed meanwhile: try again', 'changed_meanwhile')
}
