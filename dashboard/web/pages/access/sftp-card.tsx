import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { accessQuery, setAccess } from '#dashboard/web/api/access.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { SiteAccess } from '#shared/access/api/access.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { EditAccess } from './edit-access.tsx'
import { HowToConnect } from './how-to-connect.tsx'
import { Logins } from './logins.tsx'

/** Who may log in by SFTP, or with a shell, and how. */
export function SftpCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(accessQuery(site))
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  const change = (
    <Button icon={<KeyRound />} disabled={isOffline || !data} onClick={show}>
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
    <Table
      label="People with SFTP access"
      head={
        <>
          <Head>Person</Head>
          <Head>Access</Head>
          <Head>Until</Head>
          <Head>State</Head>
        </>
      }
    >
      {access.grants.map(({ person_id, name, kind, expires_at, keys, applied }) => (
        <tr key={person_id}>
          <Cell className="font-medium break-words">{name}</Cell>
          <Cell>{kind === 'shell' ? 'SFTP and shell' : 'SFTP'}</Cell>
          <Cell>
            <Time at={expires_at} none="no limit" />
          </Cell>
          <Cell>
            {expires_at !== null && Date.parse(expires_at) <= now ? (
              <Badge tone="bad">expired</Badge>
            ) : keys === 0 ? (
              <Badge tone="warn">no key</Badge>
            ) : applied ? (
              <Badge tone="good">can log in</Badge>
            ) : (
              <Badge tone="warn">keys changed</Badge>
            )}
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function Update({ site, access }: { site: Site; access: SiteAccess }) {
  const { dialog, show } = useDialog()
  const grants = access.grants.map(({ person_id, kind, expires_at }) => ({
    ...{ person_id, kind, expires_at },
  }))
  return (
    <Notice
      kind="warn"
      title="The server has other keys than these people"
      actions={<Button onClick={show}>Update keys</Button>}
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
  <ButtonLink kind="quiet" to="/people">
    Show people
  </ButtonLink>
)
