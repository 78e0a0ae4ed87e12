import type { Site } from '#dashboard/web/api/sites.ts'
import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { ShownCheck } from '#shared/kernel/values.ts'

const NAMES: Record<ShownCheck, string> = {
  php: 'PHP',
  database: 'Database',
  http: 'Front page',
  certificate: 'Certificate',
  visit: 'From outside',
}

/** What each check of the site found. */
export function HealthCard({ site }: { site: Site }) {
  if (site.health_checks.length === 0) return null
  return (
    <Card title="Health" flush>
      <ul className="divide-y divide-line">
        {site.health_checks.map(({ check, state, reason }) => (
          <li key={check} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
            <span className="w-24 text-muted">{NAMES[check]}</span>
            <HealthBadge state={state} />
            <span className="min-w-0 flex-1 basis-40 text-xs break-words text-muted">{reason}</span>
            {check === 'visit' && (
              <span className="text-xs text-muted">
                Requested <Time at={site.visited_at} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
