import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { jobRunsQuery } from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { JobRun } from '#shared/jobs/api/job-runs.ts'
import { RunBadge } from './run-badge.tsx'

/** The last runs of due events of WordPress with their output. */
export function RunsCard({ site }: { site: Site }) {
  const { data, error, refetch, isFetching } = useQuery(jobRunsQuery(site))
  return (
    <Card
      title="Runs of WordPress events"
      flush
      actions={
        <Button
          kind="quiet"
          icon={<RotateCw />}
          busy={isFetching && data !== undefined}
          onClick={() => void refetch()}
        >
          Refresh runs
        </Button>
      }
    >
      <QueryState of={{ data, error, refetch }} flush />
      <ul className="divide-y divide-line" aria-label="Runs of WordPress events">
        {data?.map((run) => (
          <Run key={run.started_at} run={run} />
        ))}
      </ul>
      {data?.length === 0 && (
        <p className="p-4 text-muted">
          No runs are kept yet. Due events run every five minutes, for four minutes at most.
        </p>
      )}
    </Card>
  )
}

function Run({ run }: { run: JobRun }) {
  return (
    <li className="flex flex-col gap-2 px-4 py-2">
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1">
          <RunBadge run={run} />
        </span>
        {run.seconds !== null && (
          <span className="text-xs text-muted tabular-nums">{run.seconds.toFixed(1)} s</span>
        )}
        <span className="w-24 text-right text-xs text-muted">
          <Time at={run.started_at} />
        </span>
      </div>
      {run.output !== '' && (
        <details>
          <summary className="cursor-pointer text-xs text-muted">Show output</summary>
          <pre className="mt-2 max-h-64 overflow-auto rounded-md bg-sunken p-3 text-xs whitespace-pre-wrap break-words">
            {run.output}
          </pre>
        </details>
      )}
    </li>
  )
}
