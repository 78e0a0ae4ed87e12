import type { z } from 'zod'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { ConfirmPassword } from '#shared/kernel/api/auth.ts'
import { unauthorized } from '#shared/kernel/errors.ts'
import { confirmPassword } from './confirm-password.ts'
import type { LoginDeps } from './login.ts'
import { findSession, updateSession } from './queries.ts'

const TURNS = 5

/** Notes that the caller has confirmed the password. Throws 422 for a wrong one. */
export async function confirmCaller(
  deps: LoginDeps,
  caller: Caller,
  given: z.output<typeof ConfirmPassword>,
): Promise<void> {
  await confirmPassword(deps, caller, { what: 'confirmation', field: 'password', ...given })
  // Another request may renew the session meanwhile.
  for (let turn = 0; turn < TURNS; turn++) {
    const session = await findSession(deps, caller.jti)
    if (!session) throw unauthorized()
    if (await updateSession(deps, session, { confirmed_at: timestamp(deps.clock) })) return
  }
  throw new Error('The session changes with each attempt to confirm it')
}
