import { useQuery } from '@tanstack/react-query'
import { sitesOfQuery } from '#dashboard/web/api/servers.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { NotManaged, SiteState } from '#dashboard/web/ui/health.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

/** Some of its sites, those with problems first, and a link to all. */
export function ServerSites({ server }: { server: FleetServerDetail }) {
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
