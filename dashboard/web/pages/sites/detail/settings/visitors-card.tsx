import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { MaintenanceRow } from './maintenance.tsx'
import { PasswordRow } from './password.tsx'
import { TrustedCdnRow } from './trusted-cdn.tsx'

/** Who sees the site. */
export function VisitorsCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(settingsQuery(site))
  return (
    <Card title="Visitors">
      <QueryState of={{ data, error, refetch }} rows={3} />
      {data && (
        <div className="flex flex-col gap-4">
          <MaintenanceRow site={site} maintenance={data.maintenance} />
          <TrustedCdnRow site={site} trusted={data.trusted_cdn} />
          {!site.staging && <PasswordRow site={site} password={data.basic_auth} />}
        </div>
      )}
    </Card>
  )
}
