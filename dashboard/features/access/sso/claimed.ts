import { nextUserId } from '#dashboard/features/access/accounts/invitations.queries.ts'
import { freeName } from '#dashboard/features/access/accounts/people.queries.ts'
import { grantsOf, roleIn } from '#dashboard/features/access/accounts/show-accounts.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { findOwnGrants } from '#dashboard/kernel/auth/grants.queries.ts'
import { keepPolicy } from '#dashboard/kernel/auth/policy.queries.ts'
import { findUser } from '#dashboard/kernel/auth/queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import type { UserRow } from '#dashboard/kernel/db/rows.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { PersonName } from '#shared/access/site-access.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { Email } from '#shared/kernel/fields.ts'
import { ROLES, type Role } from '#shared/kernel/rights.ts'
import type { SsoDeps } from './begin.ts'
import { type Claims, SsoRefusal, type VerifiedLogin } from './exchange.ts'
import { endClaimed, storeClaimed, storeRole } from './identities.queries.ts'
import type { ProviderRow } from './providers.queries.ts'
import { rolesIn } from './providers.ts'

const TURNS = 5

const NO_ROLE = 'Your login at the provider gives you no role here: ask an owner of this dashboard'

/** Returns the highest role that the claim gives; undefined without one. It is never `owner`. */
function roleOf(provider: ProviderRow, claims: Claims): Role | undefined {
  if (provider.claim === '') return undefined
  const values = new Set([claims[provider.claim]].flat())
  const given = rolesIn(provider).filter(({ value }) => values.has(value))
  return ROLES.findLast((role) => given.some((one) => one.role === role))
}

/**
 * Makes the account of somebody whose claim gives a role. Its address is that of the provider, which
 * must have verified it; an account with this address is never taken over. Throws SsoRefusal.
 */
export async function makeClaimed(
  deps: SsoDeps,
  provider: ProviderRow,
  login: VerifiedLogin,
): Promise<UserRow> {
  const claims = await login.details([provider.claim, 'email', 'email_verified', 'name'])
  const role = roleOf(provider, claims)
  if (role === undefined) throw new SsoRefusal(`the claim ${provider.claim} gives no role`, NO_ROLE)
  const email = verifiedEmail(claims)
  const name = PersonName.safeParse(claims.name).data ?? email
  const { issuer, subject } = login
  for (let turn = 0; turn < TURNS; turn++) {
    const id = await nextUserId(deps.db)
    const created_at = timestamp(deps.clock)
    const user = { id, email, name, password_hash: '', created_at, managed_by: issuer }
    const person = await freeName(deps.db, name)
    const identity = { issuer, subject, user_id: id, label: email, linked_at: created_at }
    const entry = entryOf(deps.clock, {
      type: 'account.create',
      user_id: id,
      detail: `${person}, ${email}: ${role}, by the claim ${provider.claim} of ${provider.name}`,
    })
    const account = { user, person, role, identity }
    const isMade = await storeClaimed(deps, provider, account, entry).catch(takenError)
    if (isMade === false) throw new SsoRefusal('the provider was changed meanwhile', NO_ROLE)
    const made = isMade && (await findUser(deps, id))
    if (made) return made
  }
  throw new Error('The id of the new account is taken with each attempt')
}

function verifiedEmail(claims: Claims): string {
  const email = Email.safeParse(claims.email).data?.toLowerCase()
  if (email !== undefined && claims.email_verified === true) return email
  throw new SsoRefusal(
    'the provider has not verified the e-mail address',
    'The provider does not confirm your e-mail address: verify it there, or ask an owner of this dashboard for an invitation',
  )
}

/** Returns undefined for an id or a name that somebody else has taken at the same time. */
function takenError(error: unknown): undefined {
  if (violatesUnique(error, 'users.email') || violatesUnique(error, 'identities.issuer'))
    throw new SsoRefusal(
      'another account has the e-mail address',
      'An account with your e-mail address exists: log in to it, and link this login on the page Account',
    )
  if (violatesUnique(error, 'users.id') || violatesUnique(error, 'people.name')) return undefined
  throw error
}

/**
 * Gives an account the role that its claim gives now. Without one, its sessions and tokens end, and it
 * throws SsoRefusal. It also throws that for a role that would break a rule of the access policy: nobody
 * works with another role than that of the claim, so they end, too, if the claim gives less.
 */
export async function followClaim(
  deps: SsoDeps,
  provider: ProviderRow,
  user: UserRow,
  login: VerifiedLogin,
): Promise<void> {
  const claims = provider.claim === '' ? {} : await login.details([provider.claim])
  const role = roleOf(provider, claims)
  if (role === undefined) {
    await endAccess(deps, user)
    throw new SsoRefusal('its claim gives the account no role any more', NO_ROLE)
  }
  const { grants: former } = await findOwnGrants(deps, user.id)
  if (roleIn(former) === role) return
  const entry = entryOf(deps.clock, {
    type: 'account.role',
    user_id: user.id,
    detail: `${user.email}: ${roleIn(former) ?? 'no role'} → ${role}, by the claim ${provider.claim} of ${provider.name}`,
  })
  const gives = grantsOf(role, former.includes('secrets'))
  const given = { user, provider, gives, given_at: timestamp(deps.clock) }
  const accounts = [{ user_id: user.id, grants: gives }]
  const isStored = await keepPolicy(deps, { accounts }, (guard) =>
    storeRole(deps, { ...given, guard }, entry),
  ).catch(async (error: unknown) => {
    if (!(error instanceof ServiceError) || error.refusal !== 'policy_broken') throw error
    if (isLess(role, roleIn(former))) await endAccess(deps, user)
    throw new SsoRefusal(
      `the role ${role} of its claim would break the access policy. ${error.message}`,
      'The role that the provider gives you would break the access policy of this dashboard: ask an owner',
    )
  })
  if (!isStored)
    throw new SsoRefusal(
      'the account or the provider was changed meanwhile',
      'The account was changed meanwhile: try again',
    )
  deps.bus.notify(SESSIONS_NEWS)
}

const isLess = (role: Role, former: Role | null): boolean =>
  former !== null && ROLES.indexOf(role) < ROLES.indexOf(former)

async function endAccess(deps: SsoDeps, { id }: UserRow): Promise<void> {
  await endClaimed(deps, id)
  deps.bus.notify(SESSIONS_NEWS)
}
