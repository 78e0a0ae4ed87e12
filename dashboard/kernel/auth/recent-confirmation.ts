import type { z } from 'zod'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { ConfirmPassword } from '#shared/kernel/api/auth.ts'
import { invalid, unauthorized } from '#shared/kernel/errors.ts'
import { confirmPassword } from './confirm-password.ts'
import type { LoginDeps } from './login.ts'
import { findSession, updateSession } from './queries.ts'
import { usePasskey, WRONG_PASSKEY } from './use-passkey.ts'

const TURNS = 5

/**
 * Notes that the caller has confirmed the password, or has used a passkey of the account. Throws 422
 * for a wrong one.
 */
export async function confirmCaller(
  deps: LoginDeps,
  caller: Caller,
  given: z.output<typeof ConfirmPassword>,
): Promise<void> {
  await prove(deps, caller, given)
  // Another request may renew the session meanwhile.
  for (let turn = 0; turn < TURNS; turn++) {
    const session = await findSession(deps, caller.jti)
    if (!session) throw unauthorized()
    if (await updateSession(deps, session, { confirmed_at: timestamp(deps.clock) })) return
  }
  throw new Error('The session changes with each attempt to confirm it')
}

async function prove(
  deps: LoginDeps,
  caller: Caller,
  { password, passkey, code }: z.output<typeof ConfirmPassword>,
): Promise<void> {
  if (password) {
    const given = { what: 'confirmation', field: 'password', password, code } as const
    await confirmPassword(deps, caller, given)
    return
  }
  if (!passkey) throw new Error('The schema of the body takes a password or a passkey')
  const attempt = deps.throttle.confirm('confirmation', caller.jti)
  const expected = { purpose: 'confirm', bound_to: caller.jti, user_id: caller.user.id } as const
  const found = await usePasskey(deps, passkey, expected).catch((error: unknown) => {
    attempt.withdraw()
    throw error
  })
  if (!found || found.refusal !== undefined)
    throw invalid({ passkey: [found?.refusal ?? WRONG_PASSKEY] })
  attempt.succeed()
}
