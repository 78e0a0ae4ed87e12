import { getPerson } from '#dashboard/features/access/people.ts'
import type { PersonRow } from '#dashboard/features/access/queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { listTokenRows } from '#dashboard/kernel/auth/api-tokens.queries.ts'
import { showTokens } from '#dashboard/kernel/auth/api-tokens.ts'
import { keepPolicy } from '#dashboard/kernel/auth/policy.queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import { listSessions } from '#dashboard/kernel/auth/sessions.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { requireRight } from '#dashboard/kernel/http/rights.ts'
import type { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { ChangeAccount } from '#shared/access/api/accounts.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import type { Grant, HeldGrants, PartGrant, Role } from '#shared/kernel/rights.ts'
import {
  type Account,
  type AccountChange,
  findAccount,
  listOwners,
  storeChange,
} from './accounts.queries.ts'
import { findPartNames, refuseUnknownParts } from './parts.queries.ts'
import { grantsOf, roleIn, seesSecrets } from './show-accounts.ts'

export interface AccountDeps extends MarkedRecords {
  clock: Clock
  bus: Bus
}

const TURNS = 5

export interface Decision extends AccountChange {
  type: string
  /** What follows the name of the account in the activity. */
  detail?: string
}

/**
 * Sets the role in the whole fleet, whether the account sees secrets, and what it may do on parts of
 * the fleet. Throws 422 for a role that always sees secrets, and for an unknown part.
 */
export async function changeRole(
  deps: AccountDeps,
  caller: Caller,
  person_id: number,
  { role, secrets, parts }: ChangeAccount,
): Promise<void> {
  const names = await findPartNames(deps.db, parts ?? [])
  refuseUnknownParts(parts ?? [], names)
  return change(deps, caller, person_id, (account) => {
    const { email, managed_by } = account.user
    if (managed_by !== '' && role !== undefined && role !== roleIn(account.grants))
      throw conflict(`The role of ${email} follows its claim at ${managed_by}`)
    const given = {
      grants: inFleet(account.grants, role, secrets),
      parts: parts ?? account.parts,
    }
    if (isSame(given, { grants: account.grants, parts: account.parts })) return undefined
    return { type: 'account.role', detail: `: ${wordsOf(account)} → ${wordsOf(given)}`, ...given }
  })
}

/** Returns the grants in the whole fleet after a change; what is undefined stays. */
export function inFleet(
  grants: readonly Grant[],
  role: Role | null = roleIn(grants),
  secrets: boolean | undefined,
): Grant[] {
  if (secrets === true && role === null) throw invalid({ secrets: [NEEDS_ROLE] })
  if (secrets === false && role !== null && seesSecrets([role]))
    throw invalid({ secrets: [`Must be true or absent: the role ${role} includes it`] })
  return grantsOf(role, secrets ?? grants.includes('secrets'))
}

/** The secrets of the whole fleet belong to a role; without one they are given on parts of it. */
export const NEEDS_ROLE = 'Needs a role; without one, give the secrets on parts of the fleet'

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Writes grants as `operator with secrets`, or `no role, and 2 grants: viewer on the tag shop, …`. */
export function wordsOf({ grants, parts }: HeldGrants): string {
  const name = roleIn(grants) ?? 'no role'
  const role = grants.includes('secrets') ? `${name} with secrets` : name
  if (parts.length === 0) return role
  const shown = parts.slice(0, MAX_WORDS).map(wordsOfPart)
  const more = parts.length - shown.length
  return `${role}, ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const MAX_WORDS = 20

function wordsOfPart({ gives, tag, server_id, site_id }: PartGrant): string {
  if (site_id !== null) return `${gives} on site ${site_id}`
  return server_id === null ? `${gives} on the tag ${tag}` : `${gives} on server ${server_id}`
}

/** Ends everything that the account and its person may do. Throws 409 for one without access. */
export function deactivate(deps: AccountDeps, caller: Caller, person_id: number): Promise<void> {
  return change(deps, caller, person_id, ({ user }) => {
    if (user.deactivated_at !== null) throw conflict(`${user.email} is deactivated already`)
    const deactivated_at = timestamp(deps.clock)
    return { type: 'account.deactivate', user: { deactivated_at }, ends: true }
  })
}

/** Admits a deactivated account again, with its role; the access to sites stays ended. */
export function activate(deps: AccountDeps, caller: Caller, person_id: number): Promise<void> {
  return change(deps, caller, person_id, ({ user }) => {
    if (user.deactivated_at === null) throw conflict(`${user.email} is active already`)
    return { type: 'account.activate', user: { deactivated_at: null } }
  })
}

/** What every removal of an account changes beside its name. */
export const REMOVED = { grants: [], parts: [], ends: true, is_removed: true } as const

/**
 * Removes the account of a person. Its row stays without a password and with another address, so that
 * the activity still says who did what, and nobody gets its id.
 */
export function removeAccount(deps: AccountDeps, caller: Caller, person_id: number): Promise<void> {
  return change(deps, caller, person_id, ({ user: { id, email, deactivated_at } }) => {
    const user = {
      email: `${email} (removed account ${id})`,
      password_hash: '',
      deactivated_at: deactivated_at ?? timestamp(deps.clock),
    }
    return { type: 'account.remove', user, leaves_person: true, ...REMOVED }
  })
}

/** Returns the sessions and API tokens of the account of a person. Throws 404 without an account. */
export async function showLogins(deps: AccountDeps, caller: Caller, person: PersonRow) {
  const { user } = await getAccount(deps, person)
  const rows = await listTokenRows(deps, [user.id])
  return {
    sessions: await listSessions(deps, { ...caller, user }),
    tokens: await showTokens(deps, rows, caller),
  }
}

/**
 * Changes an account as `decide` says of its current state; undefined: nothing. Throws 404 without an
 * account, and 409 for a change that would leave the dashboard without an owner.
 */
function change(
  deps: AccountDeps,
  caller: Caller,
  person_id: number,
  decide: (account: Account) => Decision | undefined,
): Promise<void> {
  const find = async () => {
    const person = await getPerson(deps, person_id)
    const account = await getAccount(deps, person)
    return { account, name: `${person.name}, ${account.user.email}` }
  }
  return storeDecision(deps, caller, find, decide)
}

/** Changes an account that `find` reads, as `decide` says of it; the activity has the name. */
export async function storeDecision(
  deps: AccountDeps,
  caller: Caller,
  find: () => Promise<{ account: Account; name: string }>,
  decide: (account: Account) => Decision | undefined,
): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const { account, name } = await find()
    const owners = await listOwners(deps)
    const by = ownerOf(owners, caller)
    const decision = decide(account)
    if (!decision) return
    const { type, detail = '', ...changed } = decision
    const others = othersOf(owners, account, changed)
    const text = `${name}${detail}`
    const entry = entryOf(deps.clock, { type, user_id: caller.user.id, detail: text })
    const isStored = await keepPolicy(
      deps,
      { accounts: [afterChange(account, changed)] },
      (guard) => storeChange(deps, account, changed, { by, others, guard }, entry),
    )
    if (!isStored) continue
    deps.bus.notify(SESSIONS_NEWS)
    return
  }
  throw new Error('The account changes with each attempt to change it')
}

/** Returns what the rules of the access policy are about, after a change of an account. */
function afterChange({ user }: Account, { grants, parts, user: changed }: AccountChange) {
  const deactivated_at = changed?.deactivated_at
  const is_in_use = deactivated_at === undefined ? undefined : deactivated_at === null
  return { user_id: user.id, grants, parts, is_in_use }
}

async function getAccount(deps: AccountDeps, { user_id }: PersonRow): Promise<Account> {
  const account = user_id === null ? undefined : await findAccount(deps, user_id)
  if (account?.user.kind !== 'person') throw notFound('Account')
  return account
}

/** Returns the owner who makes a call. Throws 403 for one who has just lost that role. */
export function ownerOf(owners: readonly Account[], caller: Caller): Account {
  const by = owners.find(({ user }) => user.id === caller.user.id)
  if (by) return by
  requireRight({ ...caller, grants: [] }, 'accounts')
  throw new Error('An account without grants has the right of an owner')
}

const hasPassword = ({ user }: Account): boolean => user.password_hash !== ''

/**
 * Returns the owners of whom one must be left after a change that ends one; undefined for any other
 * change. Throws 409 when there are none, and when the last one with a password would end.
 */
function othersOf(
  owners: readonly Account[],
  ended: Account,
  { grants, user }: AccountChange,
): Account[] | undefined {
  const { id, email } = ended.user
  const isOwner = owners.some(({ user }) => user.id === id)
  const stays = (grants === undefined || grants.includes('owner')) && !user?.deactivated_at
  if (!isOwner || stays) return undefined
  const others = owners.filter((owner) => owner.user.id !== id)
  if (others.length === 0)
    throw conflict(
      `${email} is the only owner of this dashboard: make somebody else an owner first`,
    )
  if (!hasPassword(ended)) return others
  // Without a provider, somebody must still be able to log in.
  const local = others.filter(hasPassword)
  if (local.length > 0) return local
  throw conflict(
    `${email} is the only owner with a password: make somebody else with a password an owner first`,
  )
}
