import { useQuery } from '@tanstack/react-query'
import { type Fleet, fleetQuery } from '#dashboard/web/api/fleet.ts'
import { UnderWay } from '#dashboard/web/features/operation/running.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import { AllWell } from './all-well.tsx'
import { Attention } from './attention.tsx'
import { Counts } from './counts.tsx'
import { FirstServer } from './first-server.tsx'
import { Glance } from './glance.tsx'
import { PausedBulks } from './paused-bulks.tsx'

/** What needs attention now, over the whole fleet. */
export function OverviewPage() {
  const { data, error, refetch } = useQuery(fleetQuery)
  return (
    <Page title="Overview">
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && (data.servers.length > 0 ? <Everything fleet={data} /> : <FirstServer />)}
    </Page>
  )
}

function Everything({ fleet }: { fleet: Fleet }) {
  const { servers, attention } = fleet
  const isWell = attention.every(({ severity }) => severity === 'info')
  return (
    <>
      <Counts fleet={fleet} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(20rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <PausedBulks />
          {isWell && <AllWell fleet={fleet} />}
          <Attention groups={attention} servers={servers} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <UnderWay />
          <Glance servers={servers} />
        </div>
      </div>
    </>
  )
}
