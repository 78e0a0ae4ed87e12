import type { TabProps } from '#dashboard/web/pages/sites/detail/tabs.tsx'
import { FactsCard } from './facts-card.tsx'
import { HealthCard } from './health-card.tsx'
import { NotManagedCard } from './not-managed-card.tsx'

export function OverviewTab({ site }: Pick<TabProps, 'site'>) {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <FactsCard site={site} />
      <div className="flex min-w-0 flex-col gap-5">
        {!site.managed && <NotManagedCard site={site} />}
        <HealthCard site={site} />
      </div>
    </div>
  )
}
