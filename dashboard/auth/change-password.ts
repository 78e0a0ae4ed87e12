import { timestamp } from '#dashboard/runtime/clock.ts'
import { ChangePassword } from '#shared/api/auth.ts'
import { parse } from '#shared/parse.ts'
import type { Caller } from './caller.ts'
import { confirmPassword } from './confirm.ts'
import type { LoginDeps } from './login.ts'
import { updatePassword } from './queries.ts'

/** Ends every other session of the user and, with `end_tokens`, every API token. */
export async function changePassword(
  deps: LoginDeps,
  caller: Caller,
  input: unknown,
): Promise<void> {
  const { current_password, password, end_tokens } = parse(ChangePassword, input)
  const given = { password: current_password, field: 'current_password' }
  await confirmPassword(deps, caller, { what: 'password change', ...given })
  const password_hash = await deps.passwords.hash(password)
  const { user, jti } = caller
  await updatePassword(
    deps.db,
    { user_id: user.id, password_hash, keep: jti, end_tokens },
    {
      type: 'auth.password',
      domain: '',
      status: 'success',
      user_id: user.id,
      created_at: timestamp(deps.clock),
    },
  )
}
