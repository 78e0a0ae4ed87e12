import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { whoMayQuery } from '#dashboard/web/api/accounts.ts'
import { PART_TEXTS, ROLE_TEXTS, rightsText } from '#dashboard/web/labels/role.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { PersonLink } from '#dashboard/web/ui/record-links.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import type { GrantHere, WhoMay } from '#shared/access/api/accounts.ts'

interface WhoMayCardProps {
  server_id: number
  /** The site; undefined for the server as a whole. */
  site_id?: number
}

/** Who may do what on a server or a site, and by which grant; only admins of it see that. */
export function WhoMayCard(target: WhoMayCardProps) {
  const maySee = useMay()('admin')
  const { data, error, refetch } = useQuery({ ...whoMayQuery(target), enabled: maySee })
  const what = target.site_id === undefined ? 'server' : 'site'
  return (
    <Card title="Who may do what here" flush>
      {!maySee && (
        <p className="p-4 text-muted">
          You cannot see this: admins of this {what} see who may do what here.
        </p>
      )}
      {maySee && <QueryState of={{ data, error, refetch }} rows={3} flush />}
      {data?.length === 0 && (
        <Empty icon={<Users />} title="No account may do anything here">
          An owner gives rights on the page People.
        </Empty>
      )}
      {data && data.length > 0 && <Accounts accounts={data} what={what} />}
    </Card>
  )
}

interface AccountsProps {
  accounts: readonly WhoMay[]
  what: string
}

const Accounts = ({ accounts, what }: AccountsProps) => (
  <RecordTable
    label="Who may do what here"
    isStacked
    rows={accounts}
    keyOf={({ email }) => email}
    columns={[
      { name: 'Who', className: 'break-words', show: (account) => <Who account={account} /> },
      { name: 'Rights', className: 'break-words', show: ({ rights }) => rightsText(rights) },
      {
        name: 'Given by',
        className: 'break-words',
        show: ({ grants }) => (
          <ul className="flex flex-col gap-1">
            {grants.map((grant) => (
              <li key={JSON.stringify(grant)}>{grantText(grant, what)}</li>
            ))}
          </ul>
        ),
      },
    ]}
  />
)

/** The person, or the name of a service account, which belongs to nobody. */
function Who({ account: { person_id, name, email } }: { account: WhoMay }) {
  if (person_id === null)
    return (
      <>
        <span className="font-medium">{name}</span>
        <span className="block text-xs text-muted">service account</span>
      </>
    )
  return (
    <>
      <PersonLink id={person_id} className="font-medium text-accent hover:underline">
        {name}
      </PersonLink>
      <span className="block text-xs break-words text-muted">{email}</span>
    </>
  )
}

/** Writes a grant with where it holds, such as `Operator on the servers with the tag shop`. */
function grantText({ gives, tag, server_id, site_id, group }: GrantHere, what: string): string {
  const name = gives === 'owner' ? ROLE_TEXTS.owner.name : PART_TEXTS[gives].name
  const by = group ? `, by the group ${group.name}` : ''
  if (site_id !== null) return `${name} on this site${by}`
  if (server_id !== null) return `${name} on ${what === 'site' ? 'its' : 'this'} server${by}`
  if (tag !== null) return `${name} on the servers with the tag ${tag}${by}`
  return `${name} in the whole fleet${by}`
}
