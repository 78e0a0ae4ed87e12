import { useQuery } from '@tanstack/react-query'
import { ApiError } from '#dashboard/web/api/client.ts'
import { planQuery, type SiteWork } from '#dashboard/web/api/site-work.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { PlanSteps } from '#dashboard/web/ui/plan.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'

/** What would be done on the server, before it is. */
export function PlanPreview({ work }: { work: SiteWork }) {
  const { data, error, refetch } = useQuery(planQuery(work))
  return (
    <section aria-label="Plan" className="rounded-lg border border-line p-4">
      <h3 className="mb-3 font-semibold">What will be done on the server</h3>
      {data && <PlanSteps plan={data} />}
      {!data && !error && <Skeleton rows={4} />}
      {error && (isAway(error) ? <Away /> : <Failure error={error} onRetry={refetch} />)}
    </section>
  )
}

/** Its agent cannot be reached, or is too old for plans. */
const isAway = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 503 || error.status === 0)

function Away() {
  return (
    <Notice kind="wait" title="The server cannot be reached now, so there is no plan">
      What you begin waits until it is back, and is tried again by itself.
    </Notice>
  )
}
