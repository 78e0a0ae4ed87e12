import { groupHeld } from '#dashboard/kernel/auth/grants.queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { GroupRights, PersonAccount } from '#shared/access/api/accounts.ts'
import { type Grant, type PartGrant, ROLES, type Role, rightsOf } from '#shared/kernel/rights.ts'
import { type Account, listAccounts } from './accounts.queries.ts'
import { type GroupRecord, groupsOf, listGroupRecords } from './groups.queries.ts'
import { type InvitationRow, listInvitations } from './invitations.queries.ts'
import { findPartNames, type PartNames, showParts } from './parts.queries.ts'
import { listPersonUsers } from './people.queries.ts'

export const roleIn = (grants: readonly Grant[]): Role | null =>
  ROLES.findLast((role) => grants.includes(role)) ?? null

export const seesSecrets = (grants: readonly Grant[]): boolean =>
  rightsOf(grants).includes('secrets')

/** Returns the grants of a role, with the secrets only beside a role that does not include them. */
export function grantsOf(role: Role | null, secrets: boolean): Grant[] {
  if (role === null) return []
  return secrets && !seesSecrets([role]) ? [role, 'secrets'] : [role]
}

/** Returns the account or the invitation of each person who has one, by the id of the person. */
export async function listPersonAccounts(
  records: MarkedRecords,
): Promise<ReadonlyMap<number, PersonAccount>> {
  const accounts = new Map((await listAccounts(records)).map((one) => [one.user.id, one]))
  const groups = await listGroupRecords(records)
  const invitations = await listInvitations(records)
  const names = await findPartNames(records.db, [
    ...[...accounts.values()].flatMap(({ parts }) => parts),
    ...groups.flatMap(({ grants }) => groupHeld(grants).parts),
    ...invitations.flatMap(partsIn),
  ])
  const addressOf = (user_id: number) => accounts.get(user_id)?.user.email ?? ''
  const invited = invitations.map(
    (row) => [row.person_id, invitationOf(row, groups, names, addressOf(row.invited_by))] as const,
  )
  const owned = (await listPersonUsers(records.db)).flatMap(({ person_id, user_id }) => {
    const account = user_id === null ? undefined : accounts.get(user_id)
    return account ? [[person_id, accountOf(account, groups, names)] as const] : []
  })
  return new Map([...invited, ...owned])
}

/** Returns what the groups of an account give it. */
export const showGroupsOf = (
  account: Account,
  groups: readonly GroupRecord[],
  names: PartNames,
): GroupRights[] => showGroupRights(groupsOf(groups, account), names)

/** Returns what groups give their members. */
export const showGroupRights = (groups: readonly GroupRecord[], names: PartNames): GroupRights[] =>
  groups.map(({ group: { id, name }, grants: rows }) => {
    const { grants, parts } = groupHeld(rows)
    return {
      id,
      name,
      role: roleIn(grants),
      secrets: seesSecrets(grants),
      parts: showParts(parts, names),
    }
  })

function accountOf(
  account: Account,
  groups: readonly GroupRecord[],
  names: PartNames,
): PersonAccount {
  const { user, grants, parts } = account
  return {
    user_id: user.id,
    email: user.email,
    role: roleIn(grants),
    secrets: seesSecrets(grants),
    parts: showParts(parts, names),
    groups: showGroupsOf(account, groups, names),
    state: user.deactivated_at === null ? 'active' : 'deactivated',
    invited_until: null,
    invited_by: null,
    created_at: user.created_at,
    last_login_at: user.last_login_at,
  }
}

/** Returns the role of an invitation in the whole fleet. */
export const roleOfInvitation = ({ role }: Pick<InvitationRow, 'role'>): Role | null =>
  role === 'none' ? null : role

/** Returns the grants of an invitation on parts of the fleet; its mark covers them. */
export const partsIn = ({ parts }: Pick<InvitationRow, 'parts'>): PartGrant[] => JSON.parse(parts)

/** Returns the groups of an invitation that still exist; its mark covers their ids. */
export const groupsIn = (
  { groups }: Pick<InvitationRow, 'groups'>,
  all: readonly GroupRecord[],
): GroupRecord[] => {
  const ids: number[] = JSON.parse(groups)
  return all.filter(({ group }) => ids.includes(group.id))
}

const invitationOf = (
  row: InvitationRow,
  groups: readonly GroupRecord[],
  names: PartNames,
  invited_by: string,
): PersonAccount => ({
  user_id: null,
  email: row.email,
  role: roleOfInvitation(row),
  secrets: seesSecrets(grantsOf(roleOfInvitation(row), row.secrets === 1)),
  parts: showParts(partsIn(row), names),
  groups: showGroupRights(groupsIn(row, groups), names),
  state: 'invited',
  invited_until: row.expires_at,
  invited_by,
  created_at: row.created_at,
  last_login_at: null,
})
