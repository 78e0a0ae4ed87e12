import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, take } from '../../api/client.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

const SHOWN = 10

const activityQuery = (domain: string) =>
  queryOptions({
    queryKey: ['activity', 'site', domain],
    queryFn: () => take(api.activity.get({ query: { domain, limit: SHOWN } })),
  })

/** Who did what to it, the last first. */
export function ActivityCard({ domain }: { domain: string }) {
  const { data, error, refetch } = useQuery(activityQuery(domain))
  return (
    <Card
      title="Activity"
      flush
      actions={
        <ButtonLink to="/activity" kind="quiet">
          All
        </ButtonLink>
      }
    >
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      <ul className="divide-y divide-line">
        {data?.activities.map(({ id, type, status, created_at }) => (
          <li key={id} className="flex items-center gap-3 px-4 py-2">
            <code className="min-w-0 flex-1 truncate text-xs">{type}</code>
            <Status value={status} />
            <span className="w-24 text-right text-xs text-muted">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
      {data?.activities.length === 0 && <p className="p-4 text-muted">Nothing was done yet.</p>}
    </Card>
  )
}
