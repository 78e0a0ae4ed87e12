import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Globe } from 'lucide-react'
import { isNotFound } from '#dashboard/web/api/client.ts'
import { lostServerQuery } from '#dashboard/web/api/lost-servers.ts'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink, ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { LostServerView, LostSite } from '#shared/recovery/api/lost-servers.ts'
import { Declared } from './declared.tsx'
import { RestoreCard } from './restore-card.tsx'

/** A server that does not come back: its sites, their backups, and where they are restored. */
export function LostServerPage() {
  const { server_id } = useParams({ from: '/inside/servers/$server_id/lost' })
  return <LostServer key={server_id} id={Number(server_id)} />
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
  const begun = sites.filter(({ state }) => state === 'restoring' || state === 'restored')
  const gone = sites.filter(({ state }) => state === 'lost')
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
      {gone.length > 0 && <Gone sites={gone} />}
      {open.length > 0 && <RestoreCard server={server} sites={open} view={view} />}
      {begun.length > 0 && <Begun sites={begun} destinations={destinations} />}
      {records.length > 0 && <Records records={records} />}
    </>
  )
}

function Gone({ sites }: { sites: readonly LostSite[] }) {
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

function Begun({ sites, destinations }: Pick<LostServerView, 'sites' | 'destinations'>) {
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
      <Table
        label="DNS records to change"
        isStacked
        head={
          <>
            <Head>Name</Head>
            <Head>Type</Head>
            <Head>Content</Head>
          </>
        }
      >
        {records.map(({ name, type, content }) => (
          <tr key={`${name} ${content}`}>
            <Cell className="wrap-anywhere">{unicodeOf(name)}</Cell>
            <Cell>{type}</Cell>
            <Cell>
              <code className="break-all">{content}</code>
            </Cell>
          </tr>
        ))}
      </Table>
    </Card>
  )
}
