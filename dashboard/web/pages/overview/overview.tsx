import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { pausedBulksQuery } from '#dashboard/web/api/bulk-operations.ts'
import { type Fleet, fleetQuery } from '#dashboard/web/api/fleet.ts'
import { RunningOperations } from '#dashboard/web/features/operations/running.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Attention } from './attention.tsx'
import { Counts } from './counts.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Glance } from './glance.tsx'
import { RestoredCard } from './restored.tsx'

/** What needs attention now, over the whole fleet. */
export function OverviewPage() {
  const { data, error, refetch } = useQuery(fleetQuery)
  return (
    <Page title="Overview">
      <QueryState of={{ data, error, refetch }} rows={10} />
      {data &&
        (data.servers.length > 0 ? <FleetOverview fleet={data} /> : <FirstSteps fleet={data} />)}
    </Page>
  )
}

function FleetOverview({ fleet }: { fleet: Fleet }) {
  const { data: paused = [] } = useQuery(pausedBulksQuery)
  const { servers, attention, counts } = fleet
  const isFirst = Object.keys(counts.sites).length === 0
  const isWell = paused.length === 0 && attention.every(({ severity }) => severity === 'info')
  return (
    <>
      {isFirst && <FirstSteps fleet={fleet} />}
      <Counts fleet={fleet} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(20rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <RestoredCard />
          {isWell && !isFirst && <AllWell fleet={fleet} />}
          <Attention groups={attention} paused={paused} servers={servers} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <RunningOperations />
          <Glance servers={servers} />
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
          {formatCount(servers.length, 'server')} and {formatCount(active, 'active site')}: nothing
          needs attention.
        </p>
      </div>
    </section>
  )
}
