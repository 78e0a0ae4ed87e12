import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { listTokenRows } from '#dashboard/kernel/auth/api-tokens.queries.ts'
import {
  type CreatedToken,
  deleteToken,
  makeToken,
  showTokens,
} from '#dashboard/kernel/auth/api-tokens.ts'
import { groupHeld } from '#dashboard/kernel/auth/grants.queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import {
  type ChangeServiceAccount,
  type CreateServiceAccount,
  SERVICE_ROLES,
  type ServiceAccount,
} from '#shared/access/api/service-accounts.ts'
import type { NewToken } from '#shared/kernel/api/auth.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import {
  type Account,
  findAccount,
  isOneOwner,
  listAccounts,
  listOwners,
} from './accounts.queries.ts'
import {
  type AccountDeps,
  type Decision,
  inFleet,
  isSame,
  NEEDS_ROLE,
  ownerOf,
  REMOVED,
  storeDecision,
  wordsOf,
} from './accounts.ts'
import { listGroupRecords } from './groups.queries.ts'
import { nextUserId } from './invitations.queries.ts'
import { findPartNames, refuseUnknownParts, showParts } from './parts.queries.ts'
import { storeServiceAccount } from './service-accounts.queries.ts'
import { grantsOf, seesSecrets, showGroupsOf } from './show-accounts.ts'

type Deps = AccountDeps & Pick<CommonDeps, 'random'>

const TURNS = 5

/** Lists the service accounts by name, with their tokens as an owner sees them. */
export async function listServiceAccounts(
  deps: AccountDeps,
  caller: Caller,
): Promise<ServiceAccount[]> {
  const accounts = (await listAccounts(deps)).filter(isServiceAccount)
  const groups = await listGroupRecords(deps)
  const names = await findPartNames(deps.db, [
    ...accounts.flatMap(({ parts }) => parts),
    ...groups.flatMap(({ grants }) => groupHeld(grants).parts),
  ])
  const ids = accounts.map(({ user }) => user.id)
  const rows = await listTokenRows(deps, ids)
  const tokens = await showTokens(deps, rows, caller)
  return accounts
    .map((account) => {
      const { user, grants, parts } = account
      return {
        id: user.id,
        name: user.name,
        role: SERVICE_ROLES.findLast((role) => grants.includes(role)) ?? null,
        secrets: seesSecrets(grants),
        parts: showParts(parts, names),
        groups: showGroupsOf(account, groups, names),
        state: user.deactivated_at === null ? ('active' as const) : ('deactivated' as const),
        created_at: user.created_at,
        tokens: tokens.filter((_, at) => rows[at]?.user_id === user.id),
      }
    })
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}

/** Whether an account is a service account that was not removed, which gives it another address. */
export const isServiceAccount = ({ user }: Account): boolean =>
  user.kind === 'service' && user.email === user.name

/** Returns a service account as it is listed. Throws 404 for any other account. */
export async function showServiceAccount(
  deps: AccountDeps,
  caller: Caller,
  id: number,
): Promise<ServiceAccount> {
  const account = (await listServiceAccounts(deps, caller)).find((one) => one.id === id)
  if (!account) throw notFound('Service account')
  return account
}

async function getServiceAccount(deps: AccountDeps, id: number): Promise<Account> {
  const account = await findAccount(deps, id)
  if (!account || !isServiceAccount(account)) throw notFound('Service account')
  return account
}

/** Makes a service account, and returns its id. Throws 422 for a name that another one has. */
export async function createServiceAccount(
  deps: Deps,
  caller: Caller,
  { name, role, secrets, parts }: CreateServiceAccount,
): Promise<number> {
  const { db, clock } = deps
  refuseUnknownParts(parts, await findPartNames(db, parts))
  if (role === null && secrets) throw invalid({ secrets: [NEEDS_ROLE] })
  const grants = grantsOf(role, secrets)
  for (let turn = 0; turn < TURNS; turn++) {
    const by = ownerOf(await listOwners(deps), caller)
    const id = await nextUserId(db)
    const created_at = timestamp(clock)
    const user = { id, email: name, name, password_hash: '', created_at, kind: 'service' as const }
    const detail = `${name}: ${wordsOf({ grants, parts })}`
    const entry = entryOf(clock, {
      type: 'service_account.create',
      user_id: caller.user.id,
      detail,
    })
    const isMade = await storeServiceAccount(deps, user, { grants, parts }, by, entry).catch(
      (error: unknown) => {
        // Another account was made at the same time.
        if (violatesUnique(error, 'users.id')) return false
        throw refusalOfName(error)
      },
    )
    if (isMade) return id
  }
  throw new Error('The id of the new account is taken with each attempt')
}

/** Returns the 422 for a name that another account has; any other error stays. */
const refusalOfName = (error: unknown): unknown =>
  violatesUnique(error, 'users.email')
    ? invalid({ name: ['Another service account has this name'] })
    : error

/** Changes name, role, secrets and grants on parts of the fleet; what is absent stays. */
export async function changeServiceAccount(
  deps: Deps,
  caller: Caller,
  id: number,
  { name, role, secrets, parts }: ChangeServiceAccount,
): Promise<void> {
  refuseUnknownParts(parts ?? [], await findPartNames(deps.db, parts ?? []))
  const decide = (account: Account): Decision | undefined => {
    const given = {
      grants: inFleet(account.grants, role, secrets),
      parts: parts ?? account.parts,
    }
    const before = { grants: account.grants, parts: account.parts }
    const user = name === undefined ? {} : { name, email: name }
    const isRenamed = name !== undefined && name !== account.user.name
    if (isSame(given, before) && !isRenamed) return undefined
    const renamed = isRenamed ? `, now ${name}` : ''
    const detail = `${renamed}: ${wordsOf(account)} → ${wordsOf(given)}`
    return { type: 'service_account.change', detail, user, ...given }
  }
  await change(deps, caller, id, decide).catch((error: unknown) => {
    throw refusalOfName(error)
  })
}

/** Refuses the tokens of a service account until it is activated again. Throws 409 for one without access. */
export function deactivateServiceAccount(deps: Deps, caller: Caller, id: number): Promise<void> {
  return change(deps, caller, id, ({ user }) => {
    if (user.deactivated_at !== null) throw conflict(`${user.name} is deactivated already`)
    const deactivated_at = timestamp(deps.clock)
    return { type: 'service_account.deactivate', user: { deactivated_at } }
  })
}

/** Accepts the tokens of a deactivated service account again, with its former rights. */
export function activateServiceAccount(deps: Deps, caller: Caller, id: number): Promise<void> {
  return change(deps, caller, id, ({ user }) => {
    if (user.deactivated_at === null) throw conflict(`${user.name} is active already`)
    return { type: 'service_account.activate', user: { deactivated_at: null } }
  })
}

/**
 * Removes a service account with its tokens. Its row stays with another name, so that the activity
 * still says what did something, and nobody gets its id.
 */
export function removeServiceAccount(deps: Deps, caller: Caller, id: number): Promise<void> {
  return change(deps, caller, id, ({ user: { name, deactivated_at } }) => {
    const email = `${name} (removed account ${id})`
    const user = { email, deactivated_at: deactivated_at ?? timestamp(deps.clock) }
    return { type: 'service_account.remove', user, ...REMOVED }
  })
}

function change(
  deps: Deps,
  caller: Caller,
  id: number,
  decide: (account: Account) => Decision | undefined,
): Promise<void> {
  const find = async () => {
    const account = await getServiceAccount(deps, id)
    return { account, name: account.user.name }
  }
  return storeDecision(deps, caller, find, decide)
}

/** Creates a token of a service account. Throws 422 for an unknown part of the fleet. */
export async function createServiceToken(
  deps: Deps,
  caller: Caller,
  id: number,
  token: NewToken,
): Promise<CreatedToken> {
  return makeToken(deps, caller, { ...(await tokenOf(deps, caller, id)), token })
}

/** Deletes a token of a service account. Throws 404 for one of another account. */
export async function deleteServiceToken(
  deps: Deps,
  caller: Caller,
  id: number,
  token_id: number,
): Promise<void> {
  await deleteToken(deps, caller, { ...(await tokenOf(deps, caller, id)), id: token_id })
}

/** Returns what every change of a token of a service account needs: its caller is still an owner. */
async function tokenOf(deps: Deps, caller: Caller, id: number) {
  const { user } = await getServiceAccount(deps, id)
  const by = ownerOf(await listOwners(deps), caller)
  return { user_id: id, account: user.name, condition: isOneOwner([by]) }
}
