import { PartGrants } from '#dashboard/web/features/access/part-grants.tsx'
import { ROLE_TEXTS } from '#dashboard/web/labels/role.ts'
import type { GroupRights } from '#shared/access/api/accounts.ts'
import { hasExtraSecrets } from './rights-fields.tsx'

type Given = Pick<GroupRights, 'role' | 'secrets' | 'parts'>

/** What a group gives its members: in the whole fleet, and on parts of it. */
export function GivenRights({ of }: { of: Given }) {
  const { role, parts } = of
  if (role === null && parts.length === 0) return <p className="text-muted">Nothing yet.</p>
  return (
    <>
      {role !== null && (
        <p>
          {ROLE_TEXTS[role].name} in the whole fleet
          {hasExtraSecrets(of) && ', with passwords and site contents'}
        </p>
      )}
      {parts.length > 0 && <PartGrants parts={parts} />}
    </>
  )
}

/** What an account may do by its groups, each with what it gives. */
export function GroupList({ groups }: { groups: readonly GroupRights[] }) {
  return (
    <ul className="flex flex-col gap-2">
      {groups.map((group) => (
        <li key={group.id} className="min-w-0">
          <p className="font-medium wrap-anywhere">{group.name}</p>
          <GivenRights of={group} />
        </li>
      ))}
    </ul>
  )
}
