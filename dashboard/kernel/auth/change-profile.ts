import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import type { ChangeProfile, User } from '#shared/kernel/api/auth.ts'
import { conflict, invalid, unauthorized } from '#shared/kernel/errors.ts'
import { isClientGrant } from '#shared/kernel/rights.ts'
import { confirmPassword } from './confirm-password.ts'
import type { LoginDeps } from './login.ts'
import { findUser, publicUser, updateProfile } from './queries.ts'

/**
 * Changes the name and the e-mail address of the caller. Throws 422 for another address without the
 * password, or for one that belongs to another account, and 409 for a client, whose address decides
 * as which user of WordPress they log in.
 */
export async function changeProfile(
  deps: LoginDeps,
  caller: Caller,
  { name, email, password, code }: z.output<typeof ChangeProfile>,
): Promise<User> {
  const isMoved = email !== undefined && email !== caller.user.email
  if (isMoved) refuseClient(caller)
  if (isMoved && !password)
    throw invalid({ password: ['Is required to change the e-mail address'] })
  const user = password
    ? await confirmPassword(deps, caller, {
        what: 'e-mail change',
        password,
        field: 'password',
        code,
      })
    : await findUser(deps, caller.user.id)
  if (!user) throw unauthorized()
  const changed = { name: name ?? user.name, email: email ?? user.email }
  const parts = [
    changed.name === user.name ? [] : [`name from ${user.name} to ${changed.name}`],
    changed.email === user.email ? [] : [`e-mail address from ${user.email} to ${changed.email}`],
  ].flat()
  if (parts.length === 0) return publicUser(user)
  const entry = entryOf(deps.clock, {
    type: 'auth.profile',
    user_id: user.id,
    detail: parts.join(', '),
  })
  const change = { user, session: caller.jti }
  const isWritten = await updateProfile(deps, change, changed, entry).catch((error: unknown) => {
    if (!violatesUnique(error, 'users.email')) throw error
    throw invalid({ email: ['Belongs to another account'] })
  })
  if (!isWritten)
    throw conflict('The account was changed meanwhile: try again', 'changed_meanwhile')
  return { id: user.id, ...changed }
}

function refuseClient({ parts }: Caller): void {
  if (parts.some(({ gives }) => isClientGrant(gives)))
    throw conflict(
      'Your agency decides about this address: ask it for an invitation to another one',
    )
}
