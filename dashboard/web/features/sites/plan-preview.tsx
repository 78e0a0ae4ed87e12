import { useQuery } from '@tanstack/react-query'
import { ApiError } from '#dashboard/web/api/client.ts'
import type { SiteWork } from '#dashboard/web/api/site-call.ts'
import { planQuery } from '#dashboard/web/api/site-work.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'

/** The plan of the server before the work starts. */
export function PlanPreview({ work }: { work: SiteWork }) {
  const { data, error, refetch } = useQuery(planQuery(work))
  return (
    <section aria-label="Plan">
      {data && <PlanSummary plan={data} />}
      {!data && !error && <Skeleton rows={1} />}
      {error &&
        (isUnreachable(error) ? <Unreachable /> : <Failure error={error} onRetry={refetch} />)}
    </section>
  )
}

/** Its agent cannot be reached, or is too old for plans. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 503 || error.status === 0)

function Unreachable() {
  return (
    <Notice kind="wait" title="No plan: the server cannot be reached">
      The operation waits until the server is online again, and then starts automatically.
    </Notice>
  )
}
