import { groupHeld } from '#dashboard/kernel/auth/grants.queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { getPlace } from '#dashboard/kernel/http/places.queries.ts'
import type { GrantHere, WhoMay } from '#shared/access/api/accounts.ts'
import {
  type HeldGrants,
  isOn,
  type Place,
  RIGHTS_ON_OBJECTS,
  rightsAt,
} from '#shared/kernel/rights.ts'
import { type Account, listAccounts } from './accounts.queries.ts'
import { type GroupRecord, groupsOf, heldBy, listGroupRecords } from './groups.queries.ts'
import { listPersonNames } from './people.queries.ts'

/** Lists the accounts that may do something at a place, by the name of the person. */
export async function whoMay(
  records: MarkedRecords,
  names: { server_id: number } | { site_id: number },
): Promise<WhoMay[]> {
  const place = await getPlace(records.db, names)
  const people = new Map((await listPersonNames(records.db)).map((row) => [row.user_id, row]))
  const groups = await listGroupRecords(records)
  return (await listAccounts(records))
    .filter(({ user }) => user.deactivated_at === null)
    .map((account) => accountAt(account, groups, place))
    .filter(({ rights }) => rights.length > 0)
    .map(({ user_id, ...shown }) => {
      const person = people.get(user_id)
      return { person_id: person?.person_id ?? null, name: person?.name ?? shown.email, ...shown }
    })
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}

function accountAt(account: Account, groups: readonly GroupRecord[], place: Place) {
  const { user } = account
  const given = new Set(rightsAt(heldBy(groups, account), place))
  const rights = RIGHTS_ON_OBJECTS.filter((right) => given.has(right))
  const byGroups = groupsOf(groups, account).flatMap(({ group: { id, name }, grants }) =>
    grantsAt(groupHeld(grants), place, { id, name }),
  )
  const grants = [...grantsAt(account, place, null), ...byGroups]
  return { user_id: user.id, email: user.email, rights, grants }
}

const WHOLE_FLEET = { tag: null, server_id: null, site_id: null }

const grantsAt = (
  { grants, parts }: HeldGrants,
  place: Place,
  group: GrantHere['group'],
): GrantHere[] => [
  ...grants.map((gives) => ({ gives, ...WHOLE_FLEET, group })),
  ...parts.filter((part) => isOn(part, place)).map((part) => ({ ...part, group })),
]
