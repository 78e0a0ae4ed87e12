import { arrange, shareOf } from '#dashboard/web/pages/servers/list/arrange.ts'
import { ShortReading } from '#dashboard/web/pages/servers/list/readings.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'

const MOST = 12

/** The servers: those with problems first, then by load. */
export function Glance({ servers }: { servers: readonly FleetServer[] }) {
  const shown = arrange(servers, { sort: 'status' })
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, MOST)
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
