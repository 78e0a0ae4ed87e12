import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Globe, Undo2 } from 'lucide-react'
import { isNotFound } from '#dashboard/web/api/client.ts'
import { endServerLoss, lostServerQuery } from '#dashboard/web/api/lost-servers.ts'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { FleetPage } from '#dashboard/web/ui/fleet-page.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink, ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { ReadOnly } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { LostServerView, LostSite } from '#shared/recovery/api/lost-servers.ts'
import { RestoreCard } from './restore-card.tsx'

/** A server that does not come back: its sites, their backups, and where they are restored. */
export function LostServerPage() {
  const { server_id } = useParams({ from: '/inside/servers/$server_id/lost' })
  return (
    <FleetPage title="Lost server" what="restore the sites of a lost server">
      <LostServer key={server_id} id={Number(server_id)} />
    </FleetPage>
  )
}

function LostServer({ id }: { id: number }) {
  const { data: server, ...of } = useQuery(serverQuery(id))
  const { data: view, ...lost } = useQuery(lostServerQuery(id))
  if (isNotFound(of.error)) return <NotFound />
  const name = server?.name ?? 'Server'
  return (
    <Page
      title={view?.declared_at ? `${name} is lost` : `Is ${name} lost?`}
      trail={
        <>
          <ListLink to="/servers" /> ·{' '}
          <ServerLink id={id} className="hover:underline">
            {name}
          </ServerLink>
        </>
      }
      about="Restore its sites from their backups on other servers, with the same addresses."
    >
      <QueryState of={{ data: server, error: of.error, refetch: of.refetch }} rows={1} />
      <QueryState of={{ data: view, error: lost.error, refetch: lost.refetch }} rows={6} />
      {server && view && <Parts server={server} view={view} />}
    </Page>
  )
}

interface PartsProps {
  server: FleetServerDetail
  view: LostServerView
}

function Parts({ server, view }: PartsProps) {
  const { sites, destinations, records } = view
  const open = sites.filter(({ state }) => state === 'restorable' || state === 'failed')
  const restored = sites.filter(({ state }) => state === 'restoring' || state === 'restored')
  const lost_sites = sites.filter(({ state }) => state === 'lost')
  return (
    <>
      <Declared server={server} view={view} />
      {sites.length === 0 && (
        <Card flush>
          <Empty icon={<Globe />} title="No site was on this server">
            Nothing has to be restored. Remove the server from the dashboard on its page.
          </Empty>
        </Card>
      )}
      {lost_sites.length > 0 && <LostSites sites={lost_sites} />}
      {open.length > 0 && (
        <ReadOnly unless="admin">
          <RestoreCard server={server} sites={open} view={view} />
        </ReadOnly>
      )}
      {restored.length > 0 && <RestoredSites sites={restored} destinations={destinations} />}
      {records.length > 0 && <Records records={records} />}
    </>
  )
}

function LostSites({ sites }: { sites: readonly LostSite[] }) {
  return (
    <Card title="Cannot be restored" flush>
      <ul className="divide-y divide-line">
        {sites.map(({ id, domain, reason }) => (
          <li key={id} className="flex flex-wrap gap-x-3 gap-y-1 px-4 py-2.5">
            <SiteLink id={id} className="font-medium wrap-anywhere hover:underline">
              {unicodeOf(domain)}
            </SiteLink>
            <span className="text-bad">Lost with the server: {lowerFirst(reason)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function RestoredSites({ sites, destinations }: Pick<LostServerView, 'sites' | 'destinations'>) {
  const names = new Map(destinations.map(({ id, name }) => [id, name]))
  return (
    <Card title="Restored" flush>
      <ul className="divide-y divide-line">
        {sites.map(({ id, domain, server_id, state }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <SiteLink id={id} className="font-medium wrap-anywhere hover:underline">
              {unicodeOf(domain)}
            </SiteLink>
            <Status value={state} tone={state === 'restored' ? 'good' : 'busy'} />
            <span className="text-muted">on {names.get(server_id) ?? 'another server'}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Records({ records }: Pick<LostServerView, 'records'>) {
  return (
    <Card title="DNS records to change" flush>
      <p className="px-4 pt-4 text-muted">
        No DNS account of the dashboard has the zones of these names. Visitors and certificates need
        these records, unless a name is behind a CDN or already leads there.
      </p>
      <RecordTable
        label="DNS records to change"
        isStacked
        rows={records}
        keyOf={({ name, content }) => `${name} ${content}`}
        columns={[
          { name: 'Name', className: 'wrap-anywhere', show: ({ name }) => unicodeOf(name) },
          { name: 'Type', show: ({ type }) => type },
          { name: 'Content', show: ({ content }) => <code className="break-all">{content}</code> },
        ]}
      />
    </Card>
  )
}

interface DeclaredProps {
  server: FleetServerDetail
  view: LostServerView
}

/** Whether the server was declared lost, whether it answers, and what follows from that. */
function Declared({ server, view: { declared_at } }: DeclaredProps) {
  const { name, status } = server
  if (declared_at === null) return <NotDeclared server={server} />
  if (status === 'online')
    return (
      <Notice
        kind="bad"
        title={`${name} answers again, although it was declared lost`}
        actions={<UseAgain server={server} />}
      >
        Its copies of the restored sites are suspended: they serve no visitors and run no jobs.
        Their files stay. Turn the machine off, or delete the copies and use the server again.
      </Notice>
    )
  return (
    <Notice kind="info" title="Declared lost" actions={<UseAgain server={server} />}>
      <Time at={declared_at} />. Restored sites belong to their new servers. The records of this
      server stay until you remove it on its page.
    </Notice>
  )
}

function NotDeclared({ server: { name, status, last_sync } }: { server: FleetServerDetail }) {
  if (status === 'online')
    return (
      <Notice kind="warn" title={`${name} answers`}>
        Move its sites to other servers instead: that loses nothing.
      </Notice>
    )
  return (
    <Notice kind="warn" title={`Only if ${name} does not come back`}>
      It answered last <Time at={last_sync} none="before its first sync" />. What has changed in its
      sites since their backups is lost. If the machine may return, repair it instead.
    </Notice>
  )
}

function UseAgain({ server: { id, name } }: { server: FleetServerDetail }) {
  const client = useQueryClient()
  const { dialog, show } = useDialog()
  const end = async () => {
    await endServerLoss(id)
    await client.invalidateQueries({ queryKey: ['servers', id] })
  }
  return (
    <>
      <Button needs="admin" icon={<Undo2 />} onClick={show}>
        Use server again
      </Button>
      <Confirm
        {...dialog}
        title={`Use ${name} again?`}
        action="Use server again"
        isDestructive
        onConfirm={end}
      >
        Restored sites stay on their new servers. Copies of them that are still on {name} are no
        longer suspended automatically: delete them first, or they may run their jobs beside the
        restored sites.
      </Confirm>
    </>
  )
}
