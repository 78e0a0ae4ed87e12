import type { z } from 'zod'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isDue } from '#shared/kernel/age.ts'
import type { ConfirmPassword } from '#shared/kernel/api/auth.ts'
import { conflict, unauthorized } from '#shared/kernel/errors.ts'
import { confirmPassword } from './confirm-password.ts'
import type { LoginDeps } from './login.ts'
import { findSession, updateSession } from './queries.ts'

/** The time for which a confirmed password counts. */
const CONFIRMED_MS = 30 * 60_000
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

/**
 * Requires a recent confirmation, for calls that a stolen session must not make, and that a user
 * makes many times a day. Throws 409 with `confirmation_needed`.
 */
export async function requireConfirmed(
  { clock }: Pick<CommonDeps, 'clock'>,
  { confirmed_at }: Caller,
): Promise<void> {
  if (confirmed_at && !isDue(confirmed_at, CONFIRMED_MS, clock.now())) return
  throw conflict('Confirm your password first', 'confirmation_needed')
}
