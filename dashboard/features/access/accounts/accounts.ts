import { getPerson } from '#dashboard/features/access/people.ts'
import type { PersonRow } from '#dashboard/features/access/queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { requireRight } from '#dashboard/kernel/http/rights.ts'
import type { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { ChangeAccount } from '#shared/access/api/accounts.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import type { Grant } from '#shared/kernel/rights.ts'
import {
  type Account,
  type AccountChange,
  findAccount,
  listOwners,
  storeChange,
} from './accounts.queries.ts'
import { grantsOf, roleIn, seesSecrets } from './show-accounts.ts'

export interface AccountDeps extends MarkedRecords {
  clock: Clock
  bus: Bus
}

const TURNS = 5

interface Decision extends AccountChange {
  type: string
  /** What follows the name of the account in the activity. */
  detail?: string
}

/** Sets the role, or whether the account sees secrets. Throws 422 for a role that always does. */
export function changeRole(
  deps: AccountDeps,
  caller: Caller,
  person_id: number,
  { role, secrets }: ChangeAccount,
): Promise<void> {
  return change(deps, caller, person_id, ({ grants }) => {
    const next = role ?? roleIn(grants)
    if (next === null) throw invalid({ role: ['The account has no role: choose one'] })
    const always = seesSecrets([next])
    if (secrets === false && always)
      throw invalid({ secrets: [`Must be true or absent: the role ${next} includes it`] })
    const given = grantsOf(next, secrets ?? grants.includes('secrets'))
    if (given.join() === grants.join()) return undefined
    const detail = `: ${wordsOf(grants)} → ${wordsOf(given)}`
    return { type: 'account.role', detail, grants: given }
  })
}

/** Writes grants as `operator with secrets`. */
export function wordsOf(grants: readonly Grant[]): string {
  const role = roleIn(grants) ?? 'no role'
  return grants.includes('secrets') ? `${role} with secrets` : role
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
    return { type: 'account.remove', grants: [], user, ends: true, leaves_person: true }
  })
}

/**
 * Changes an account as `decide` says of its current state; undefined: nothing. Throws 404 without an
 * account, and 409 for a change that would leave the dashboard without an owner.
 */
async function change(
  deps: AccountDeps,
  caller: Caller,
  person_id: number,
  decide: (account: Account) => Decision | undefined,
): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const person = await getPerson(deps, person_id)
    const account = await getAccount(deps, person)
    const owners = await listOwners(deps)
    const by = ownerOf(owners, caller)
    const decision = decide(account)
    if (!decision) return
    const { type, detail = '', ...changed } = decision
    const others = othersOf(owners, account, changed)
    const text = `${person.name}, ${account.user.email}${detail}`
    const entry = entryOf(deps.clock, { type, user_id: caller.user.id, detail: text })
    if (!(await storeChange(deps, account, changed, { by, others }, entry))) continue
    deps.bus.notify(SESSIONS_NEWS)
    return
  }
  throw new Error('The account changes with each attempt to change it')
}

async function getAccount(deps: AccountDeps, { user_id }: PersonRow): Promise<Account> {
  const account = user_id === null ? undefined : await findAccount(deps, user_id)
  if (!account) throw notFound('Account')
  return account
}

/** Returns the owner who makes a call. Throws 403 for one who has just lost that role. */
export function ownerOf(owners: readonly Account[], caller: Caller): Account {
  const by = owners.find(({ user }) => user.id === caller.user.id)
  if (by) return by
  requireRight({ ...caller, grants: [] }, 'accounts')
  throw new Error('An account without grants has the right of an owner')
}

/**
 * Returns the owners that are left after a change that ends one; undefined for any other change.
 * Throws 409 when there are none.
 */
function othersOf(
  owners: readonly Account[],
  { user: { id, email } }: Account,
  { grants, user }: AccountChange,
): Account[] | undefined {
  const isOwner = owners.some(({ user }) => user.id === id)
  const stays = (grants === undefined || grants.includes('owner')) && !user?.deactivated_at
  if (!isOwner || stays) return undefined
  const others = owners.filter((owner) => owner.user.id !== id)
  if (others.length > 0) return others
  throw conflict(`${email} is the only owner of this dashboard: make somebody else an owner first`)
}
