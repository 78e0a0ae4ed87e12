import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '../../api/fleet.ts'
import { formatNumber } from '../../ui/format.ts'
import { Card, Page } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'

/** What needs attention now, over the whole fleet. */
export function OverviewPage() {
  const { data, error, refetch } = useQuery(fleetQuery)
  return (
    <Page title="Overview">
      {error && <Failure error={error} onRetry={refetch} />}
      <Card title="Servers" flush>
        {!data && !error && <Skeleton />}
        <ul className="divide-y divide-line">
          {data?.servers.map(({ id, name, status, sites_count }) => (
            <li key={id} className="flex items-center gap-4 px-4 py-2.5">
              <span className="flex-1 font-medium">{name}</span>
              <span className="text-muted">{formatNumber(sites_count)} sites</span>
              <Status value={status} />
            </li>
          ))}
        </ul>
      </Card>
    </Page>
  )
}
