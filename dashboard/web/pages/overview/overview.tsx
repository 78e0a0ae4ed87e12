import { useQuery } from '@tanstack/react-query'
import { createLink } from '@tanstack/react-router'
import { CircleCheckBig, Plus } from 'lucide-react'
import type { AnchorHTMLAttributes, ReactNode } from 'react'
import { pausedBulksQuery } from '#dashboard/web/api/bulk-operations.ts'
import { confirmRestored, type Fleet, fleetQuery, restoredQuery } from '#dashboard/web/api/fleet.ts'
import { RunningOperations } from '#dashboard/web/features/operations/running.tsx'
import { arrange, shareOf } from '#dashboard/web/pages/servers/list/arrange.ts'
import { ShortReading } from '#dashboard/web/pages/servers/list/readings.tsx'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Checklist } from '#dashboard/web/ui/checklist.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { MAX_RESTORED_SITES, type Restored } from '#shared/recovery/api/restored.ts'
import { Attention } from './attention.tsx'

/** What needs attention now, over all that the user may see. */
export function OverviewPage() {
  const { data, error, refetch } = useQuery(fleetQuery)
  const isEmpty = useMay()('read', 'fleet') && data?.servers.length === 0
  return (
    <Page title="Overview">
      <QueryState of={{ data, error, refetch }} rows={10} />
      {data && isEmpty && <FirstSteps fleet={data} />}
      {data && !isEmpty && <FleetOverview fleet={data} />}
    </Page>
  )
}

function FleetOverview({ fleet }: { fleet: Fleet }) {
  const { data: paused = [] } = useQuery(pausedBulksQuery)
  const { servers, attention, counts } = fleet
  const may = useMay()
  const seesFleet = may('read', 'fleet')
  const hasNoSites = Object.keys(counts.sites).length === 0
  const isFirst = seesFleet && hasNoSites
  const isWell = paused.length === 0 && attention.every(({ severity }) => severity === 'info')
  return (
    <>
      {isFirst && <FirstSteps fleet={fleet} />}
      <Counts fleet={fleet} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(20rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          {seesFleet && <RestoredCard />}
          {!seesFleet && hasNoSites && servers.length === 0 && <NothingYet />}
          {isWell && !hasNoSites && <AllWell fleet={fleet} />}
          <Attention groups={attention} paused={paused} servers={servers} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <RunningOperations />
          {servers.length > 0 && <Glance servers={servers} />}
        </div>
      </div>
    </>
  )
}

/** Shown while nothing is wrong. */
function AllWell({ fleet: { servers, counts } }: { fleet: Fleet }) {
  const { active = 0 } = counts.sites
  return (
    <section className="flex items-center gap-4 rounded-xl border border-line bg-surface px-5 py-6">
      <CircleCheckBig className="size-8 shrink-0 text-good" />
      <div>
        <h2 className="text-base font-semibold">All is well</h2>
        <p className="text-muted">
          {servers.length > 0 && `${formatCount(servers.length, 'server')} and `}
          {formatCount(active, 'active site')}: nothing needs attention.
        </p>
      </div>
    </section>
  )
}

/** Shown to somebody with grants on parts of the fleet in which there is nothing. */
const NothingYet = () => (
  <Card>
    <Empty title="There is nothing yet that you may see">
      Your account page says where you have access. Servers and sites appear here as soon as there
      are some.
    </Empty>
  </Card>
)

/** The steps before the first site, and the next one. */
function FirstSteps({ fleet: { servers } }: { fleet: Fleet }) {
  const [server] = servers
  const isOnline = servers.some(({ status }) => status === 'online')
  const steps = [
    {
      title: 'Add a server',
      about: 'A machine with Debian 12 or 13 that you can log in to as root.',
      isDone: server !== undefined,
      action: (
        <ButtonLink needs="admin" to="/servers/new" kind="primary" icon={<Plus />}>
          Add a server
        </ButtonLink>
      ),
    },
    {
      title: 'Connect its agent',
      about: 'Paste the install command into a shell of the server. Existing sites appear here.',
      isDone: isOnline,
      action: server && (
        <ButtonLink
          to="/servers/$server_id"
          params={{ server_id: String(server.id) }}
          kind="primary"
        >
          Open server
        </ButtonLink>
      ),
    },
    {
      title: 'Create your first site',
      about: 'nginx, PHP and MariaDB are installed with it. You see the plan before it starts.',
      isDone: false,
      action: (
        <ButtonLink needs="operate" to="/sites/new" kind="primary" icon={<Plus />}>
          Create site
        </ButtonLink>
      ),
    },
  ]
  return <Checklist title="Get started" steps={steps} />
}

const MAX_SHOWN = 12

/** The servers: those with problems first, then by load. */
function Glance({ servers }: { servers: readonly FleetServer[] }) {
  const shown = arrange(servers, { sort: 'status' })
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, MAX_SHOWN)
  return (
    <Card
      title="Servers"
      flush
      actions={<ButtonLink to="/servers">All {formatNumber(servers.length)}</ButtonLink>}
    >
      <ul className="divide-y divide-line">
        {shown.map((server) => (
          <li key={server.id} className="flex items-center gap-3 px-4 py-2">
            <div className="min-w-0 flex-1">
              <ServerLink id={server.id} className="block truncate font-medium hover:underline">
                {server.name}
              </ServerLink>
              <ShortReading server={server} />
            </div>
            <span className="text-xs whitespace-nowrap text-muted tabular-nums">
              {formatCount(server.sites_count, 'site')}
            </span>
            <Status value={server.status} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function rank({ status, metrics }: FleetServer): number {
  if (status !== 'online') return status === 'offline' ? 3 : 2
  return Math.max(
    (metrics?.cpu ?? 0) / 100,
    shareOf(metrics?.ram) ?? 0,
    shareOf(metrics?.disk) ?? 0,
  )
}

/** The counts of the fleet; each links to its list. */
function Counts({ fleet: { servers, counts } }: { fleet: Fleet }) {
  const { trashed = 0, ...sites } = counts.sites
  const { failed: _, ...active } = counts.operations
  const seesServers = useMay()('read', 'servers')
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {seesServers && (
        <Tile to="/servers" name="Servers" value={servers.length} parts={counts.servers} />
      )}
      <Tile
        to="/sites"
        name="Sites"
        value={sum(sites)}
        parts={{ ...sites, ...unwell(counts.health), 'in trash': trashed }}
      />
      <Tile
        to="/sites"
        search={{ status: 'active', updates: 'true' }}
        name="Sites with updates"
        value={counts.updates}
        parts={{ unknown: counts.updates_unknown }}
      />
      <Tile
        to="/operations"
        search={{ status: 'queued,running' }}
        name="Running operations"
        value={sum(active)}
        parts={{ queued: counts.operations.queued ?? 0 }}
      />
    </div>
  )
}

const unwell = ({ down = 0, degraded = 0 }: Record<string, number>) => ({ down, degraded })

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)

interface TileProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  name: string
  value: number
  parts: Record<string, number>
}

function TileAnchor({ name, value, parts, ...rest }: TileProps) {
  const nonzero = Object.entries(parts).filter(([, count]) => count > 0)
  return (
    <a
      {...rest}
      className="rounded-xl border border-line bg-surface px-4 py-3 transition hover:border-line-strong"
    >
      <span className="block text-xs text-muted">{name}</span>
      <span className="block text-2xl font-semibold tracking-tight tabular-nums">
        {formatNumber(value)}
      </span>
      <span className="block min-h-4 text-xs text-muted tabular-nums">
        {nonzero.map(([part, count]) => `${formatNumber(count)} ${part}`).join(' · ')}
      </span>
    </a>
  )
}

const Tile = createLink(TileAnchor)

type Change = Restored['sites'][number]['change']

const CHANGES: Record<Change, { title: string; about: string }> = {
  adopted: {
    title: 'Created after the backup',
    about: 'Their servers have them as their own, so they are managed again. Check their settings.',
  },
  discovered: {
    title: 'On a server, but not made by its agent',
    about:
      'They are shown and not changed. If one was made by Hosting Control, its name or system user belongs to another site now: look at its server.',
  },
  trashed: {
    title: 'In the trash of their server',
    about: 'They were created and deleted after the backup. Restore or purge them in the trash.',
  },
  missing: {
    title: 'In the records, but not on their server',
    about:
      'They were moved, renamed or deleted after the backup. If another server has them, delete the record here; otherwise restore them from their backups.',
  },
}

/** After a restore of the records: what the servers know, and what nobody does. */
function RestoredCard() {
  const { data } = useQuery(restoredQuery)
  if (!data) return null
  const confirm = (
    <ActionButton needs="admin" call={confirmRestored} changes={[restoredQuery.queryKey]}>
      Confirm all
    </ActionButton>
  )
  const names = new Map(data.servers.map(({ server_id, name }) => [server_id, name]))
  return (
    <Card title="After the restore" actions={confirm}>
      <div className="flex flex-col gap-4">
        <p>
          The records were restored <Time at={data.restored_at} /> from a backup of{' '}
          <Time at={data.made_at} />. What people changed here in between is not known: users,
          passwords, API tokens, sessions, settings, access of people, targets and rules of backups.
          Check them on the pages Settings, People and Backups, and remove again whom you had
          removed. Then confirm.
        </p>
        <Servers servers={data.servers} />
        {(Object.keys(CHANGES) as Change[]).map((change) => (
          <Sites key={change} change={change} of={data} names={names} />
        ))}
        {data.sites_total > data.sites.length && (
          <p className="text-muted">
            {formatCount(data.sites_total - data.sites.length, 'more site')}: the first{' '}
            {MAX_RESTORED_SITES} are shown.
          </p>
        )}
        <Operations of={data} names={names} />
      </div>
    </Card>
  )
}

function Part({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="font-semibold">{title}</h3>
      <p className="text-muted">{about}</p>
      <ul className="mt-1 flex flex-col gap-1">{children}</ul>
    </section>
  )
}

const STATES: Record<Restored['servers'][number]['state'], string> = {
  read: '',
  too_old: 'its agent does not list its operations: upgrade it, and look at its log',
  waiting: 'not read yet',
  key_refused: 'it refuses the key of this dashboard: run this command on it as root',
}

function Servers({ servers }: Pick<Restored, 'servers'>) {
  const unread = servers.filter(({ state }) => state !== 'read')
  if (unread.length === 0) return null
  return (
    <Part
      title={`Not read: ${formatCount(unread.length, 'server')}`}
      about="What they know of the time after the backup is not known here."
    >
      {unread.map(({ server_id, name, state, reason, command }) => (
        <li key={server_id}>
          <ServerLink id={server_id}>{name}</ServerLink>: {STATES[state]}
          {state === 'waiting' && reason !== '' && ` (${reason})`}
          {command !== null && <Snippet text={command} what="the command" />}
        </li>
      ))}
    </Part>
  )
}

interface OfServers {
  of: Restored
  names: ReadonlyMap<number, string>
}

function Sites({ change, of, names }: OfServers & { change: Change }) {
  const sites = of.sites.filter((site) => site.change === change)
  if (sites.length === 0) return null
  return (
    <Part {...CHANGES[change]}>
      {sites.map(({ site_id, server_id, domain }) => (
        <li key={site_id}>
          <SiteLink id={site_id}>{domain}</SiteLink> on {names.get(server_id)}
        </li>
      ))}
    </Part>
  )
}

const ENDS = { complete: 'succeeded', error: 'failed' } as const

function Operations({ of, names }: OfServers) {
  if (of.operations.length === 0) return null
  const more = of.operations_total - of.operations.length
  return (
    <Part
      title="Operations that are not in the records"
      about="The sync records what they changed of sites. Backups that they made are found with “Find existing backups” on the page Backups."
    >
      {of.operations.map(({ id, server_id, command, domain, at, end }) => (
        <li key={`${server_id} ${id}`}>
          <Time at={at} />: {command} {domain} on {names.get(server_id)},{' '}
          {end === null ? 'running' : ENDS[end]}
        </li>
      ))}
      {more > 0 && <li className="text-muted">and {more} more</li>}
    </Part>
  )
}
