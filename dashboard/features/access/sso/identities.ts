import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { findUser, type MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import type { Identity } from '#shared/access/api/single-sign-on.ts'
import { conflict, notFound, unauthorized } from '#shared/kernel/errors.ts'
import { deleteIdentity, listIdentities } from './identities.queries.ts'
import { listProviders } from './providers.queries.ts'

/** Shows the identities of the caller, and whether the account has a password beside them. */
export async function showIdentities(
  deps: MarkedRecords,
  { user: { id } }: Caller,
): Promise<{ identities: Identity[]; has_password: boolean }> {
  const user = await findUser(deps, id)
  if (!user) throw unauthorized()
  const names = new Map((await listProviders(deps)).map(({ issuer, name }) => [issuer, name]))
  const rows = await listIdentities(deps, id)
  return {
    identities: rows.map(({ id, issuer, label, linked_at }) => ({
      id,
      provider: names.get(issuer) ?? null,
      label,
      linked_at,
    })),
    has_password: user.password_hash !== '',
  }
}

/**
 * Unlinks an identity of the caller, and ends the other sessions. Throws 404 for that of somebody else,
 * and 409 for the last way to log in.
 */
export async function unlink(
  deps: MarkedRecords & Pick<CommonDeps, 'clock' | 'bus'>,
  { user, jti }: Caller,
  id: number,
): Promise<void> {
  const identity = (await listIdentities(deps, user.id)).find((one) => one.id === id)
  if (!identity) throw notFound('Identity')
  const detail = `${identity.issuer}, ${identity.label}`
  const entry = entryOf(deps.clock, { type: 'auth.identity_unlink', user_id: user.id, detail })
  if (!(await deleteIdentity(deps, identity, jti, entry)))
    throw conflict(
      'This is the only way to log in to your account: set a password with a link to your e-mail address first',
    )
  deps.bus.notify(SESSIONS_NEWS)
}
