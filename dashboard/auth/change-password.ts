import { timestamp } from '#dashboard/runtime/clock.ts'
import { ChangePassword } from '#shared/api/auth.ts'
import { invalid } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import type { Caller } from './caller.ts'
import type { LoginDeps } from './login.ts'
import { findUser, updatePassword } from './queries.ts'

/** Ends every other session of the user. Guesses at the current password count as failed logins. */
export async function changePassword(
  deps: LoginDeps,
  { user, jti }: Caller,
  input: unknown,
  address: string,
): Promise<void> {
  const { current_password, password } = parse(ChangePassword, input)
  const forgive = deps.throttle.take(user.email, address)
  const found = await findUser(deps.db, user.id)
  if (!(await deps.passwords.verify(current_password, found?.password_hash)))
    throw invalid({ current_password: ['Is not the current password'] })
  forgive()
  const hash = await deps.passwords.hash(password)
  await updatePassword(deps.db, user.id, hash, jti, {
    type: 'auth.password',
    domain: '',
    status: 'success',
    user_id: user.id,
    created_at: timestamp(deps.clock),
  })
}
