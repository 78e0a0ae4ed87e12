import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { PersonAccount } from '#shared/access/api/accounts.ts'
import { type Grant, ROLES, type Role, rightsOf } from '#shared/kernel/rights.ts'
import { type Account, listAccounts } from './accounts.queries.ts'
import { type InvitationRow, listInvitations } from './invitations.queries.ts'
import { listPersonUsers } from './people.queries.ts'

export const roleIn = (grants: readonly Grant[]): Role | null =>
  ROLES.findLast((role) => grants.includes(role)) ?? null

export const seesSecrets = (grants: readonly Grant[]): boolean =>
  rightsOf(grants).includes('secrets')

/** Returns the grants of a role, with the secrets only beside a role that does not include them. */
export const grantsOf = (role: Role, secrets: boolean): Grant[] =>
  secrets && !seesSecrets([role]) ? [role, 'secrets'] : [role]

/** Returns the account or the invitation of each person who has one, by the id of the person. */
export async function listPersonAccounts(
  records: MarkedRecords,
): Promise<ReadonlyMap<number, PersonAccount>> {
  const accounts = new Map((await listAccounts(records)).map((one) => [one.user.id, one]))
  const addressOf = (user_id: number) => accounts.get(user_id)?.user.email ?? ''
  const invited = (await listInvitations(records)).map(
    (row) => [row.person_id, invitationOf(row, addressOf(row.invited_by))] as const,
  )
  const owned = (await listPersonUsers(records.db)).flatMap(({ person_id, user_id }) => {
    const account = user_id === null ? undefined : accounts.get(user_id)
    return account ? [[person_id, accountOf(account)] as const] : []
  })
  return new Map([...invited, ...owned])
}

const accountOf = ({ user, grants }: Account): PersonAccount => ({
  user_id: user.id,
  email: user.email,
  role: roleIn(grants),
  secrets: seesSecrets(grants),
  state: user.deactivated_at === null ? 'active' : 'deactivated',
  invited_until: null,
  invited_by: null,
  created_at: user.created_at,
  last_login_at: user.last_login_at,
})

const invitationOf = (row: InvitationRow, invited_by: string): PersonAccount => ({
  user_id: null,
  email: row.email,
  role: row.role,
  secrets: seesSecrets(grantsOf(row.role, row.secrets === 1)),
  state: 'invited',
  invited_until: row.expires_at,
  invited_by,
  created_at: row.created_at,
  last_login_at: null,
})
