import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { peopleQuery } from '#dashboard/web/api/access.ts'
import { loginsQuery } from '#dashboard/web/api/accounts.ts'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import { TokenTable } from '#dashboard/web/features/tokens/token-table.tsx'
import { activityName } from '#dashboard/web/labels/activity.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { FleetPage } from '#dashboard/web/ui/fleet-page.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink } from '#dashboard/web/ui/record-links.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { Person } from '#shared/access/api/access.ts'
import type { PersonAccount } from '#shared/access/api/accounts.ts'
import type { Session } from '#shared/kernel/api/auth.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { PersonCard } from './person-card.tsx'

/** Everything that one person may do, and did. */
export function PersonPage() {
  const { person_id } = useParams({ from: '/inside/people/$person_id' })
  return (
    <FleetPage title="Person" what="see people">
      <OnePerson id={Number(person_id)} />
    </FleetPage>
  )
}

const TRAIL = <ListLink to="/people" />

function OnePerson({ id }: { id: number }) {
  const { data, error, refetch } = useQuery(peopleQuery)
  const person = data?.find((one) => one.id === id)
  useListWhenRemoved(person)
  if (data && !person) return <NotFound />
  if (!person)
    return (
      <Page title="Person" trail={TRAIL}>
        <QueryState of={{ data, error, refetch }} rows={8} />
      </Page>
    )
  const { account } = person
  return (
    <Page title={person.name} trail={TRAIL} about={aboutOf(person)}>
      <PersonCard person={person} title="Access" />
      {account && account.state !== 'invited' && (
        <>
          <Logins person={person} />
          <Done account={account} />
        </>
      )}
    </Page>
  )
}

/** Shows the list after the person was removed here. */
function useListWhenRemoved(person: Person | undefined): void {
  const navigate = useNavigate()
  const [wasKnown, setWasKnown] = useState(false)
  if (person && !wasKnown) setWasKnown(true)
  const isRemoved = wasKnown && !person
  useEffect(() => {
    if (isRemoved) void navigate({ to: '/people' })
  }, [isRemoved, navigate])
}

const aboutOf = ({ account, created_at }: Person) => (
  <>
    {account && <span className="break-all">{account.email}, </span>}
    added <Time at={created_at} />
  </>
)

/** Where the person is signed in, and the tokens of the account; only owners see that. */
function Logins({ person: { id, name } }: { person: Person }) {
  const maySee = useMay()('accounts', 'fleet')
  const { data, error, refetch } = useQuery({ ...loginsQuery(id), enabled: maySee })
  if (!maySee)
    return (
      <Card title="Sessions and API tokens">
        <p className="text-muted">You cannot see these: only owners of this dashboard do.</p>
      </Card>
    )
  return (
    <>
      <Card title="Sessions" flush>
        <QueryState of={{ data, error, refetch }} rows={2} flush />
        {data?.sessions.length === 0 && <p className="p-4">{name} is not signed in.</p>}
        {data && data.sessions.length > 0 && <Sessions sessions={data.sessions} />}
      </Card>
      <Card title="API tokens" flush>
        <QueryState of={{ data, error, refetch }} rows={2} flush />
        {data?.tokens.length === 0 && <p className="p-4">{name} has no API tokens.</p>}
        {data && data.tokens.length > 0 && <TokenTable tokens={data.tokens} />}
      </Card>
    </>
  )
}

const Sessions = ({ sessions }: { sessions: readonly Session[] }) => (
  <RecordTable
    label="Sessions"
    rows={sessions}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Device', className: 'font-medium', show: ({ device }) => device },
      { name: 'Address', show: ({ address }) => address || 'Unknown' },
      { name: 'Signed in', show: ({ created_at }) => <Time at={created_at} /> },
      { name: 'Last used', show: ({ last_used_at }) => <Time at={last_used_at} /> },
    ]}
  />
)

const MAX_SHOWN = 10

/** The last entries of the activity by the account. */
function Done({ account: { email } }: { account: PersonAccount }) {
  const { data, error, refetch } = useQuery(activityQuery({ user: email }))
  return (
    <Card
      title="Activity"
      flush
      actions={
        <ButtonLink to="/activity" search={{ user: email }}>
          View all
        </ButtonLink>
      }
    >
      <QueryState of={{ data, error, refetch }} rows={5} flush />
      {data?.activities.length === 0 && <p className="p-4 text-muted">No activity yet</p>}
      <ul className="divide-y divide-line">
        {data?.activities
          .slice(0, MAX_SHOWN)
          .map(({ id, type, domain, detail, status, created_at }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-2.5">
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{activityName(type)}</span>
                <span className="block text-xs wrap-anywhere text-muted">
                  {[unicodeOf(domain), detail].filter(Boolean).map((text) => `${text} · `)}
                  <Time at={created_at} />
                </span>
              </span>
              <Status value={status} />
            </li>
          ))}
      </ul>
    </Card>
  )
}
