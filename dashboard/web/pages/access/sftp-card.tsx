import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { accessQuery, peopleQuery, setAccess } from '#dashboard/web/api/access.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { PersonLink } from '#dashboard/web/ui/record-links.tsx'
import { RightsAt, useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { Person, SiteAccess } from '#shared/access/api/access.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { type Draft, draftOf, grantsOf, hintOf, type Part } from './draft.ts'
import { HowToConnect } from './how-to-connect.tsx'

/** Who may log in by SFTP, or with a shell, and how. */
export function SftpCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(accessQuery(site))
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  // Without the list of people, only known access can be changed.
  const canChange = useMay()('read', 'fleet') || (data && data.grants.length > 0)
  const change = canChange && (
    <Button needs="operate" icon={<KeyRound />} disabled={isOffline || !data} onClick={show}>
      Change SFTP access
    </Button>
  )
  return (
    <Card title="SFTP" flush actions={data && data.grants.length > 0 && change}>
      <QueryState of={{ data, error, refetch }} rows={3} flush />
      {data?.grants.length === 0 && (
        <Empty icon={<KeyRound />} title="Nobody can log in by SFTP" action={change}>
          People with an SSH key reach the files of this site, and nothing else.
        </Empty>
      )}
      {data && data.grants.length > 0 && <Content site={site} access={data} />}
      {data && data.logins.length > 0 && (
        <div className="border-t border-line">
          <Logins logins={data.logins} />
        </div>
      )}
      {data && <EditAccess key={String(dialog.open)} {...dialog} site={site} access={data} />}
    </Card>
  )
}

function Content({ site, access }: { site: Site; access: SiteAccess }) {
  return (
    <>
      <Grants access={access} />
      <div className="flex flex-col gap-4 border-t border-line p-4">
        {access.grants.some(({ applied }) => !applied) && <Update site={site} access={access} />}
        {access.login && <HowToConnect login={access.login} />}
      </div>
    </>
  )
}

function Grants({ access }: { access: SiteAccess }) {
  const now = useNow()
  return (
    <RecordTable
      label="People with SFTP access"
      rows={access.grants}
      keyOf={({ person_id }) => person_id}
      columns={[
        {
          name: 'Person',
          className: 'font-medium break-words',
          show: (row) => <PersonLink id={row.person_id}>{row.name}</PersonLink>,
        },
        { name: 'Access', show: ({ kind }) => (kind === 'shell' ? 'SFTP and shell' : 'SFTP') },
        { name: 'Until', show: ({ expires_at }) => <Time at={expires_at} none="no limit" /> },
        { name: 'State', show: (grant) => <State grant={grant} now={now} /> },
      ]}
    />
  )
}

function State({ grant, now }: { grant: SiteAccess['grants'][number]; now: number }) {
  const { expires_at, keys, applied, ending } = grant
  if (expires_at !== null && Date.parse(expires_at) <= now) return <Badge tone="bad">expired</Badge>
  if (ending) return <Badge tone="bad">account ended</Badge>
  if (keys === 0) return <Badge tone="warn">no key</Badge>
  if (!applied) return <Badge tone="warn">keys changed</Badge>
  return <Badge tone="good">can log in</Badge>
}

function Update({ site, access }: { site: Site; access: SiteAccess }) {
  const { dialog, show } = useDialog()
  const grants = grantsOf(draftOf(access))
  return (
    <Notice
      kind="warn"
      title="The server has other keys than these people"
      actions={
        <Button needs="operate" onClick={show}>
          Update keys
        </Button>
      }
    >
      A removed key can be used until the server is updated. <PeopleLink />
      <WorkDialog
        {...dialog}
        title={`Update the keys of ${unicodeOf(site.domain)}`}
        about="The server gets the keys that these people have now. Sessions with removed keys end."
        site={site}
        work={setAccess(site, { grants })}
        action="Update keys"
      />
    </Notice>
  )
}

const PeopleLink = () => (
  <RightsAt where="fleet">
    <ButtonLink needs="read" kind="quiet" to="/people">
      Show people
    </ButtonLink>
  </RightsAt>
)

/** The last logins, as the server reported them with a sync. */
const Logins = ({ logins }: Pick<SiteAccess, 'logins'>) => (
  <RecordTable
    label="Last logins by SFTP"
    rows={logins}
    keyOf={({ at, address }) => `${at} ${address}`}
    columns={[
      { name: 'Last logins', show: ({ at }) => <Time at={at} /> },
      { name: 'Ended', show: ({ ended_at }) => <Time at={ended_at} none="–" /> },
      {
        name: 'Person',
        className: 'break-all',
        show: ({ person, client, fingerprint }) =>
          person ?? client ?? <span className="font-mono text-xs">{fingerprint}</span>,
      },
      { name: 'With', show: ({ client, kind }) => methodOf(client, kind) },
      { name: 'From', cell: 'font-mono text-xs', show: ({ address }) => address },
    ]}
  />
)

const methodOf = (client: string | null, kind: SiteAccess['logins'][number]['kind']) =>
  client === null ? (kind === 'shell' ? 'shell, key' : 'SFTP, key') : 'SFTP, password'

interface EditAccessProps extends DialogState {
  site: Site
  access: SiteAccess
}

/** The people of the fleet, and until when each may log in. */
function EditAccess({ site, access, ...dialog }: EditAccessProps) {
  const may = useMay()
  const seesPeople = may('read', 'fleet')
  const { data, error, refetch } = useQuery({
    ...peopleQuery,
    enabled: dialog.open && seesPeople,
  })
  const people = seesPeople ? data?.map(summaryOf) : knownPeople(access)
  const [draft, setDraft] = useState(() => draftOf(access))
  const [install, setInstall] = useState(false)
  const grants = grantsOf(draft)
  const mayShell = access.settings.site_shell
  const mayGive = may('admin') && seesPeople
  const known = new Set(access.grants.map(({ person_id }) => person_id))
  const offered = (people ?? []).filter(({ id }) => mayGive || known.has(id))
  const had = new Set(
    access.grants.flatMap(({ person_id, kind }) => (kind === 'shell' ? person_id : [])),
  )
  return (
    <WorkDialog
      {...dialog}
      title={`Access to ${unicodeOf(site.domain)}`}
      about="Each of these people reaches the files of this site with an SSH key. All sessions end when somebody loses the access."
      site={site}
      work={
        people && people.length > 0
          ? setAccess(site, { grants, ...(install && { install }) })
          : undefined
      }
      action="Save access"
    >
      <QueryState of={{ data: people, error, refetch }} rows={3} />
      {people?.length === 0 && (
        <p>
          There are no people yet.{' '}
          <ButtonLink needs="admin" to="/people">
            Add people and keys
          </ButtonLink>
        </p>
      )}
      {people && people.length > 0 && (
        <>
          {!mayGive && (
            <p className="text-muted">
              You can end and shorten access. To give it, you need the role admin
              {!seesPeople && ' in the whole fleet'}.
            </p>
          )}
          <div className="flex max-h-80 flex-col gap-3 overflow-y-auto p-1">
            {offered.map((person) => (
              <PersonField
                key={person.id}
                person={person}
                draft={draft}
                mayShell={mayShell || had.has(person.id)}
                onChange={(part) => setDraft(new Map([...draft, [person.id, part]]))}
              />
            ))}
          </div>
          <CheckField
            label="Install missing programs"
            about="openssh-server, and for a shell also git, composer and rsync."
            checked={install}
            onChange={setInstall}
          />
        </>
      )}
    </WorkDialog>
  )
}

/** A person in the dialog, and the number of their keys. */
interface KnownPerson extends Pick<Person, 'id' | 'name'> {
  keys: number
}

const summaryOf = ({ id, name, keys }: Person): KnownPerson => ({ id, name, keys: keys.length })

/** Returns those who have access, for somebody who may not list people. */
const knownPeople = ({ grants }: SiteAccess): KnownPerson[] =>
  grants.map(({ person_id, name, keys }) => ({ id: person_id, name, keys }))

interface PersonFieldProps {
  person: KnownPerson
  draft: Draft
  /** Whether the person can be given a shell, or has one. */
  mayShell: boolean
  onChange: (part: Part) => void
}

function PersonField({ person, draft, mayShell, onChange }: PersonFieldProps) {
  const { id, name, keys } = person
  const part = draft.get(id) ?? { isIn: false, shell: false, day: '' }
  const { isIn, shell, day } = part
  const count = keys === 1 ? '1 key' : `${keys} keys`
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
      <CheckField
        label={name}
        about={keys === 0 ? 'No key: cannot log in' : count}
        checked={isIn}
        onChange={(checked) => onChange({ ...part, isIn: checked })}
      />
      {isIn && (
        <CheckField
          label={`Shell for ${name}`}
          about={mayShell ? 'Programs in the sandbox of the site.' : 'Turned off in the settings.'}
          checked={shell}
          disabled={!mayShell}
          onChange={(checked) => onChange({ ...part, shell: checked })}
        />
      )}
      {isIn && (
        <TextField
          label={`Last day of ${name}`}
          name={`day-${id}`}
          hint={hintOf(day)}
          type="date"
          value={day}
          onChange={(next) => onChange({ ...part, day: next })}
        />
      )}
    </div>
  )
}
