import { useQuery } from '@tanstack/react-query'
import { activityQuery } from '#dashboard/web/api/activity.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { activityName } from '#dashboard/web/labels/activity.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'

const SHOWN = 10

/** Who did what to it, the last first. */
export function ActivityCard({ site: { domain, server_id } }: { site: Site }) {
  const of = { domain, server_id: String(server_id) }
  const { data, error, refetch } = useQuery(activityQuery(of))
  return (
    <Card
      title="Activity"
      flush
      actions={
        <ButtonLink to="/activity" search={of} kind="quiet">
          All
        </ButtonLink>
      }
    >
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton />}
      <ul className="divide-y divide-line">
        {data?.activities.slice(0, SHOWN).map(({ id, type, status, actor, created_at }) => (
          <li key={id} className="flex items-center gap-3 px-4 py-2">
            <span className="min-w-0 flex-1 break-words">
              {activityName(type)} <span className="text-xs text-muted">{actor ?? 'System'}</span>
            </span>
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
