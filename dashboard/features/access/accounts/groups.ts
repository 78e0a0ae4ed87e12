import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { type GroupGrants, groupHeld } from '#dashboard/kernel/auth/grants.queries.ts'
import { keepPolicy } from '#dashboard/kernel/auth/policy.queries.ts'
import type { PolicyChange } from '#dashboard/kernel/auth/policy.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import type { ChangeGroup, CreateGroup, Group } from '#shared/access/api/groups.ts'
import { SERVICE_ROLES } from '#shared/access/api/service-accounts.ts'
import { invalid, notFound } from '#shared/kernel/errors.ts'
import type { Grant, HeldGrants } from '#shared/kernel/rights.ts'
import { type Account, listAccounts, listOwners } from './accounts.queries.ts'
import { type AccountDeps, inFleet, isSame, ownerOf, wordsOf } from './accounts.ts'
import {
  deleteForeign,
  deleteGroup,
  type GroupChange,
  type GroupRecord,
  listGroupRecords,
  nextGroupId,
  storeGroup,
  storeGroupChange,
} from './groups.queries.ts'
import { findPartNames, refuseUnknownParts, showParts } from './parts.queries.ts'
import { listPersonNames } from './people.queries.ts'
import { isServiceAccount } from './service-accounts.ts'
import { seesSecrets } from './show-accounts.ts'

const TURNS = 5

/** An account that can be a member of a group. */
interface Candidate {
  user: Account['user']
  person_id: number | null
  name: string
}

/** Returns the accounts that were not removed, by their ids. */
async function findCandidates(records: MarkedRecords): Promise<ReadonlyMap<number, Candidate>> {
  const people = new Map((await listPersonNames(records.db)).map((row) => [row.user_id, row]))
  const all = (await listAccounts(records)).flatMap((account) => {
    const { user } = account
    const person = people.get(user.id)
    if (!person && user.deactivated_at !== null && !isServiceAccount(account)) return []
    const name = person?.name ?? user.name
    return [[user.id, { user, person_id: person?.person_id ?? null, name }] as const]
  })
  return new Map(all)
}

/** Lists the groups by name. */
export async function showGroups(records: MarkedRecords): Promise<Group[]> {
  const all = await listGroupRecords(records)
  const accounts = await findCandidates(records)
  const held = all.map(({ grants }) => groupHeld(grants))
  const names = await findPartNames(
    records.db,
    held.flatMap(({ parts }) => parts),
  )
  return all.map(({ group, user_ids, grants }) => {
    const given = groupHeld(grants)
    return {
      id: group.id,
      name: group.name,
      role: SERVICE_ROLES.findLast((role) => given.grants.includes(role)) ?? null,
      secrets: seesSecrets(given.grants),
      parts: showParts(given.parts, names),
      members: user_ids
        .flatMap((user_id) => {
          const account = accounts.get(user_id)
          return account ? [{ user_id, person_id: account.person_id, name: account.name }] : []
        })
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
      made_at: group.made_at,
    }
  })
}

/** Returns a group as it is listed. Throws 404 for an unknown one. */
export async function showGroup(records: MarkedRecords, id: number): Promise<Group> {
  const group = (await showGroups(records)).find((one) => one.id === id)
  if (!group) throw notFound('Group')
  return group
}

/**
 * Makes a group, and returns its id. Throws 422 for a name that another one has, and 409 for grants
 * and members that would break a rule of the access policy.
 */
export async function createGroup(
  deps: AccountDeps,
  caller: Caller,
  { name, members, role, secrets, parts }: CreateGroup,
): Promise<number> {
  const held = await heldAfter(deps, NOTHING, { role, parts, secrets: secrets || undefined })
  await deleteForeign(deps, name)
  for (let turn = 0; turn < TURNS; turn++) {
    const by = ownerOf(await listOwners(deps), caller)
    const accounts = await findCandidates(deps)
    const added = chosenFrom(accounts, members)
    const id = await nextGroupId(deps.db)
    const detail = `${name}: ${textOf({ held, members: added })}`
    const entry = entryOf(deps.clock, { type: 'group.create', user_id: caller.user.id, detail })
    const made = { id, name, held, members: added }
    const isMade = await keepPolicy(deps, afterChange(id, made), (guard) =>
      storeGroup(deps, made, { by, entry, guard }),
    ).catch((error: unknown) => {
      // Another group was made at the same time.
      if (violatesUnique(error, 'groups.id')) return false
      throw refusalOfName(error)
    })
    if (!isMade) continue
    deps.bus.notify(SESSIONS_NEWS)
    return id
  }
  throw new Error('The id of the new group is taken with each attempt')
}

const refusalOfName = (error: unknown): unknown =>
  violatesUnique(error, 'groups.name') ? invalid({ name: ['Another group has this name'] }) : error

const NOTHING: GroupGrants = { grants: [], parts: [] }

type Rights = Pick<ChangeGroup, 'role' | 'secrets' | 'parts'>

/** Returns what a group gives after a change; what is undefined stays. Throws 422 for an unknown part. */
async function heldAfter(
  { db }: Pick<AccountDeps, 'db'>,
  former: HeldGrants,
  { role, secrets, parts }: Rights,
): Promise<GroupGrants> {
  refuseUnknownParts(parts ?? [], await findPartNames(db, parts ?? []))
  const isGiven = (grant: Grant) => grant !== 'owner'
  return {
    grants: inFleet(former.grants, role, secrets).filter(isGiven),
    parts: parts ?? former.parts,
  }
}

/** Returns the accounts with these ids. Throws 422 for one that does not exist, and for one twice. */
function chosenFrom(accounts: ReadonlyMap<number, Candidate>, ids: readonly number[]) {
  return ids.map((id, at) => {
    const refuse = (text: string) => invalid({ members: [`Entry ${at + 1}: ${text}`] })
    const account = accounts.get(id)
    if (!account) throw refuse(`Account ${id} does not exist`)
    if (ids.indexOf(id) !== at) throw refuse('Is given twice')
    return account.user
  })
}

/**
 * Changes name, grants and members; what is absent stays. Throws 409 for a change that would break a
 * rule of the access policy.
 */
export async function changeGroup(
  deps: AccountDeps,
  caller: Caller,
  id: number,
  { name, members, ...rights }: ChangeGroup,
): Promise<void> {
  const isOfRights = Object.values(rights).some((value) => value !== undefined)
  await change(deps, caller, id, async (record, accounts) => {
    const former = contentOf(record, accounts)
    const next = {
      held: isOfRights ? await heldAfter(deps, former.held, rights) : former.held,
      members: members ? chosenFrom(accounts, members) : former.members,
    }
    const isRenamed = name !== undefined && name !== record.group.name
    const changed: GroupChange = {
      ...(isRenamed && { name }),
      ...(!isSame(next.held, former.held) && { held: next.held }),
      ...(!isSame(idsOf(next), idsOf(former)) && { members: next.members }),
    }
    if (Object.keys(changed).length === 0) return undefined
    const renamed = isRenamed ? `, now ${name}` : ''
    return { changed, next, detail: `${renamed}: ${textOf(former)} → ${textOf(next)}` }
  })
}

/**
 * Removes a group: its members keep their own grants, and those of their other groups. Throws 409 if
 * that would break a rule of the access policy.
 */
export async function removeGroup(deps: AccountDeps, caller: Caller, id: number): Promise<void> {
  await change(deps, caller, id, (record, accounts) => ({
    changed: null,
    next: { held: NOTHING, members: [] },
    detail: `: ${textOf(contentOf(record, accounts))}`,
  }))
}

interface Content {
  held: GroupGrants
  members: readonly Account['user'][]
}

/** Returns what the rules of the access policy are about, after a change of a group. */
const afterChange = (group_id: number, { held, members }: Content): PolicyChange => ({
  group: { group_id, members: members.map(({ id }) => id), ...held },
})

const idsOf = ({ members }: Content) => members.map(({ id }) => id).toSorted((a, b) => a - b)

const MAX_NAMES = 20

/** Writes grants and members as `operator on the tag shop; members: anna@example.com`. */
function textOf({ held, members }: Content): string {
  const names = members.map(({ email }) => email).toSorted()
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  return `${wordsOf(held)}; members: ${names.slice(0, MAX_NAMES).join(', ') || 'none'}${more}`
}

interface GroupDecision {
  /** The change of the group; null when it is removed. */
  changed: GroupChange | null
  /** What the group gives from then on, and to whom. */
  next: Content
  /** What follows the name of the group in the activity. */
  detail: string
}

/**
 * Changes a group as `decide` says of its current state; undefined: nothing. Throws 404 for an
 * unknown one.
 */
async function change(
  deps: AccountDeps,
  caller: Caller,
  id: number,
  decide: (
    record: GroupRecord,
    accounts: ReadonlyMap<number, Candidate>,
  ) => GroupDecision | undefined | Promise<GroupDecision | undefined>,
): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const record = (await listGroupRecords(deps)).find(({ group }) => group.id === id)
    if (!record) throw notFound('Group')
    const by = ownerOf(await listOwners(deps), caller)
    const decision = await decide(record, await findCandidates(deps))
    if (!decision) return
    const type = decision.changed ? 'group.change' : 'group.remove'
    const detail = `${record.group.name}${decision.detail}`
    const entry = entryOf(deps.clock, { type, user_id: caller.user.id, detail })
    const { changed, next } = decision
    const isStored = await keepPolicy(deps, afterChange(id, next), (guard) =>
      changed
        ? storeGroupChange(deps, record, changed, { by, entry, guard })
        : deleteGroup(deps, record, { by, entry, guard }),
    ).catch((error: unknown) => {
      throw refusalOfName(error)
    })
    if (!isStored) continue
    deps.bus.notify(SESSIONS_NEWS)
    return
  }
  throw new Error('The group changes with each attempt to change it')
}

/** Returns what a group gives, and the accounts that have it. */
function contentOf(
  { grants, user_ids }: GroupRecord,
  accounts: ReadonlyMap<number, Candidate>,
): Content {
  const { grants: given, parts } = groupHeld(grants)
  return {
    held: { grants: given.filter((grant) => grant !== 'owner'), parts },
    members: user_ids.flatMap((user_id) => accounts.get(user_id)?.user ?? []),
  }
}
