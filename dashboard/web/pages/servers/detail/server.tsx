import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import { isForbidden, isNotFound } from '#dashboard/web/api/client.ts'
import { enrolmentQuery } from '#dashboard/web/api/enrolment.ts'
import { extensionsQuery, serverQuery, sitesOfQuery, webQuery } from '#dashboard/web/api/servers.ts'
import { WhoMayCard } from '#dashboard/web/features/access/who-may-card.tsx'
import { MailCard } from '#dashboard/web/features/mail/mail-card.tsx'
import { RunningOperations } from '#dashboard/web/features/operations/running.tsx'
import { Contradictions } from '#dashboard/web/features/servers/contradictions.tsx'
import { activityName, actorOf } from '#dashboard/web/labels/activity.ts'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import {
  ServerActions,
  type ServerDialog,
} from '#dashboard/web/pages/servers/detail/actions/server-actions.tsx'
import { EnrolmentPanel } from '#dashboard/web/pages/servers/detail/enrolment/enrolment-panel.tsx'
import { Advice } from '#dashboard/web/pages/servers/detail/parts/advice.tsx'
import { History } from '#dashboard/web/pages/servers/detail/parts/history.tsx'
import { Isolation } from '#dashboard/web/pages/servers/detail/parts/isolation.tsx'
import { MaintenanceCard } from '#dashboard/web/pages/servers/detail/parts/maintenance.tsx'
import { Services } from '#dashboard/web/pages/servers/detail/parts/services.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatCount, formatDate, formatDuration, formatNumber } from '#dashboard/web/ui/format.ts'
import { NotManaged, SiteState } from '#dashboard/web/ui/health.tsx'
import { NoAccess, NotFound } from '#dashboard/web/ui/not-found.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ListLink, OperationLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { RightsAt, useMay } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge, Status } from '#dashboard/web/ui/status.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import { unknownText } from '#dashboard/web/ui/unknown-text.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { InstalledPhp } from '#shared/php/php-installed.ts'
import { supportEnds } from '#shared/php/php-support.ts'
import type { ServerWeb, UnnamedSiteView } from '#shared/sites/api/web.ts'

const TRAIL = <ListLink to="/servers" />

/** One server: state, services, history and actions. */
export function ServerPage() {
  const { server_id } = useParams({ from: '/inside/servers/$server_id' })
  return <OneServer key={server_id} id={Number(server_id)} />
}

function OneServer({ id }: { id: number }) {
  const [dialog, setDialog] = useState<ServerDialog>()
  const { data: server, error, refetch } = useQuery(serverQuery(id))
  const [wasNew, setWasNew] = useState(false)
  if (server?.status === 'pending' && !wasNew) setWasNew(true)
  const may = useMay()
  const { data: enrolment } = useQuery({
    ...enrolmentQuery(id),
    enabled: may('read', { server_id: id }),
  })
  if (isNotFound(error)) return <NotFound />
  if (isForbidden(error)) return <NoAccess to="server" />
  if (!server)
    return (
      <Page title="Server" trail={TRAIL}>
        <QueryState of={{ data: server, error, refetch }} rows={10} />
      </Page>
    )
  const isNew = server.status === 'pending'
  const isNotEnrolled = server.status !== 'online' && enrolment?.enrolled_at === null
  return (
    <RightsAt server_id={id}>
      <Page
        title={server.name}
        trail={TRAIL}
        about={<Header server={server} />}
        actions={<ServerActions server={server} dialog={dialog} onDialog={setDialog} />}
      >
        <QueryState of={{ data: server, error, refetch }} />
        <Contradictions of={{ server_id: id }} />
        <RunningOperations server_id={id} />
        <Advice server={server} isArrived={wasNew} onDialog={setDialog} />
        {(isNew || isNotEnrolled) && <EnrolmentPanel server={server} />}
        {!isNew && <Parts server={server} />}
      </Page>
    </RightsAt>
  )
}

/** Shown once the server has answered. */
function Parts({ server }: { server: FleetServerDetail }) {
  return (
    <>
      <History server={server} />
      <div className="grid items-start gap-5 xl:grid-cols-3">
        <div className="flex min-w-0 flex-col gap-5 xl:col-span-2">
          <ServerSites server={server} />
          <RecentOperations server={server} />
          <RecentActivity server_id={server.id} />
          <WhoMayCard server_id={server.id} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Services server={server} />
          <WebCard server_id={server.id} />
          <MaintenanceCard server={server} />
          <PhpVersions server={server} />
          <MailCard target={{ server_id: server.id }} name={server.name} />
          <Isolation server={server} />
        </div>
      </div>
    </>
  )
}

/** The main facts of the server in one line. */
function Header({ server }: { server: FleetServerDetail }) {
  const { status, hostname, port, os, version, metrics, tags, last_sync } = server
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <span aria-live="polite">
        <Status value={status} />
      </span>
      <span className="break-all">
        {hostname}:{port}
      </span>
      {os && <span>{os}</span>}
      {version && <span>Agent {version}</span>}
      {metrics && status === 'online' && <span>up {formatDuration(metrics.uptime * 1000)}</span>}
      <span>
        synced <Time at={last_sync} />
      </span>
      <span className="flex flex-wrap gap-1.5 empty:hidden">
        {tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    </div>
  )
}

const SOON_MS = 180 * 24 * 3600_000

/** The installed PHP versions with the end of their security fixes. */
function PhpVersions({ server }: { server: FleetServerDetail }) {
  const { id, php_versions, os } = server
  const { data: installed } = useQuery(extensionsQuery(id))
  return (
    <Card title="PHP" flush>
      {php_versions.length === 0 && <p className="p-4 text-muted">No PHP installed yet</p>}
      <ul className="divide-y divide-line">
        {php_versions.map((php) => (
          <li key={php} className="flex min-h-11 flex-wrap items-center gap-x-3 px-4 py-2">
            <span className="flex-1 font-medium whitespace-nowrap tabular-nums">PHP {php}</span>
            <Support ends={supportEnds(php, os)} />
            <Extensions of={installed?.find(({ version }) => version === php)} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Extensions({ of }: { of: InstalledPhp | undefined }) {
  if (!of) return null
  return (
    <details className="basis-full text-xs text-muted">
      <summary className="cursor-pointer">{formatCount(of.extensions.length, 'extension')}</summary>
      <p className="mt-1 break-words">{of.extensions.join(', ')}</p>
    </details>
  )
}

function Support({ ends }: { ends: string | undefined }) {
  const now = useNow()
  if (ends === undefined) return <Badge>support unknown</Badge>
  const left = Date.parse(ends) - now
  return (
    <>
      <span className="text-xs text-muted">
        Fixes {left < 0 ? 'ended' : 'until'} {formatDate(ends)}
      </span>
      {left < 0 && <Badge tone="bad">end of life</Badge>}
      {left >= 0 && left < SOON_MS && <Badge tone="warn">ends soon</Badge>}
      {left >= SOON_MS && <Badge tone="good">supported</Badge>}
    </>
  )
}

/** Some of its sites, those with problems first, and a link to all. */
function ServerSites({ server }: { server: FleetServerDetail }) {
  const { id, sites, updates } = server
  const { data, error, refetch } = useQuery(sitesOfQuery(id))
  const counts = Object.entries(sites).filter(([status]) => status !== 'trashed')
  return (
    <Card
      title="Sites"
      flush
      actions={
        <ButtonLink to="/sites" search={{ server_id: String(id) }}>
          All {formatNumber(server.sites_count)} sites
        </ButtonLink>
      }
    >
      <QueryState of={{ data, error, refetch }} rows={5} flush />
      {counts.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-xs text-muted tabular-nums">
          {counts.map(([status, count]) => (
            <span key={status}>
              {formatNumber(count)} {status}
            </span>
          ))}
          {updates > 0 && <span>{formatNumber(updates)} with updates</span>}
        </p>
      )}
      {data?.sites.length === 0 && (
        <p className="p-4 text-muted">
          No sites yet. A site gets a user, PHP, a database and a virtual host of its own.
        </p>
      )}
      <ul className="divide-y divide-line">
        {data?.sites.map((site) => (
          <li key={site.id} className="flex items-center gap-3 px-4 py-2.5">
            <SiteLink id={site.id} className="min-w-0 flex-1 truncate font-medium hover:underline">
              {unicodeOf(site.domain)}
            </SiteLink>
            <span className="hidden text-xs text-muted tabular-nums sm:inline">
              {site.php && `PHP ${site.php}`}
            </span>
            {site.found && <NotManaged />}
            <SiteState of={site} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The web servers, and their sites that no list of sites contains. */
function WebCard({ server_id }: { server_id: number }) {
  const { data } = useQuery(webQuery(server_id))
  if (!data || (data.programs.length === 0 && data.unnamed_total === 0)) return null
  return (
    <Card title="Web servers" flush>
      <div className="divide-y divide-line">
        {data.programs.map((program) => (
          <Program key={program.program} of={program} />
        ))}
        {data.unnamed_total > 0 && <Unnamed web={data} />}
      </div>
    </Card>
  )
}

function Program({ of: { program, ports, understood } }: { of: ServerWeb['programs'][number] }) {
  const name = program || 'Another program'
  return (
    <div className="px-4 py-2.5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex-1 font-medium break-all">{name}</span>
        <span className="text-xs text-muted">
          {ports.length === 1 ? 'port' : 'ports'} {ports.join(' and ')}
        </span>
        {!understood && <Badge tone="warn">sites not found</Badge>}
      </p>
      {!understood && (
        <p className="mt-0.5 text-xs text-muted">
          Its sites keep running, and are not listed here: only sites of nginx, Apache, Caddy and
          OpenLiteSpeed can be found.
        </p>
      )}
    </div>
  )
}

function Unnamed({ web: { unnamed, unnamed_total } }: { web: ServerWeb }) {
  return (
    <section className="px-4 py-2.5">
      <p className="font-medium">{formatCount(unnamed_total, 'site')} without a domain</p>
      <p className="mt-0.5 text-xs text-muted">
        They are not listed as sites because they answer to a pattern, to an IP address, or to any
        name that no other site has.
      </p>
      <ul className="mt-2 flex max-h-80 flex-col gap-2 overflow-y-auto text-xs">
        {unnamed.map((site) => (
          <li key={`${site.names.join(' ')} ${site.docroot}`}>
            <p className="font-medium break-all">{namesOf(site)}</p>
            <p className="break-words text-muted">{factsOf(site)}</p>
          </li>
        ))}
      </ul>
      {unnamed_total > unnamed.length && (
        <p className="mt-2 text-xs text-muted">The first {unnamed.length} are shown.</p>
      )}
    </section>
  )
}

const namesOf = ({ names }: UnnamedSiteView) =>
  names.map((name) => (name === '_' ? 'any other name (catch-all)' : name)).join(', ')

const KINDS = { wordpress: 'WordPress', php: 'PHP', static: 'static files' }

function factsOf({ framework, wp_version, php, docroot, user, unknown, closed }: UnnamedSiteView) {
  const kind =
    framework === 'unknown'
      ? `kind ${unknownText(unknown, 'framework') ?? 'unknown'}`
      : `${KINDS[framework]}${wp_version && ` ${wp_version}`}`
  const version = php === '' ? unknownText(unknown, 'php') : php
  const folder = docroot === '' ? unknownText(unknown, 'docroot') : docroot
  return [
    ...(closed ? ['closed to visitors'] : []),
    kind,
    ...(version ? [`PHP ${version}`] : []),
    ...(folder ? [`folder ${folder}`] : []),
    ...(user ? [`user ${user}`] : []),
  ].join(' · ')
}

const MAX_SHOWN = 8

/** The last entries of the activity log that are about the server. */
function RecentActivity({ server_id }: { server_id: number }) {
  const { data, error, refetch } = useQuery(activityQuery({ server_id: String(server_id) }))
  const all = (
    <ButtonLink to="/activity" search={{ server_id: String(server_id) }}>
      View all
    </ButtonLink>
  )
  return (
    <Card title="Activity" flush actions={all}>
      <QueryState of={{ data, error, refetch }} rows={5} flush />
      {data?.activities.length === 0 && <p className="p-4 text-muted">No activity yet</p>}
      <ul className="divide-y divide-line">
        {data?.activities
          .slice(0, MAX_SHOWN)
          .map(({ id, type, domain, status, created_at, ...source }) => (
            <li key={id} className="flex items-center gap-3 px-4 py-2.5">
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{activityName(type)}</span>
                <span className="block truncate text-xs text-muted">
                  {unicodeOf(domain)} · {actorOf(source)}
                </span>
              </span>
              <Status value={status} />
              <span className="w-24 text-right text-xs text-muted">
                <Time at={created_at} />
              </span>
            </li>
          ))}
      </ul>
    </Card>
  )
}

/** The last operations of the server. */
function RecentOperations({ server }: { server: FleetServerDetail }) {
  const { operations } = server
  return (
    <Card
      title="Operations"
      flush
      actions={
        <ButtonLink to="/operations" search={{ server_id: String(server.id) }}>
          View all
        </ButtonLink>
      }
    >
      {operations.length === 0 && <p className="p-4 text-muted">No operations yet</p>}
      <ul className="divide-y divide-line">
        {operations.map((operation) => (
          <li
            key={operation.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5"
          >
            <OperationLink
              id={operation.id}
              className="min-w-0 flex-1 basis-48 truncate font-medium hover:underline"
            >
              {operationTitle(operation)}
            </OperationLink>
            <OperationStatus of={operation} />
            <span className="w-24 text-right text-xs text-muted">
              <Time at={operation.created_at} />
            </span>
            {operation.error && (
              <p className="w-full truncate text-xs text-bad" title={operation.error.message}>
                {operation.error.message ?? operation.error.error}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
