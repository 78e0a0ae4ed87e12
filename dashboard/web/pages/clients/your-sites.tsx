import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Globe } from 'lucide-react'
import { useState } from 'react'
import { clientSitesQuery } from '#dashboard/web/api/clients.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Page } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { CLIENT_DAYS, type ClientSite } from '#shared/clients/api/clients.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { ClientState } from './client-state.tsx'

/** So many sites are shown until all are wanted: colleagues at an agency have hundreds. */
const MAX_SHOWN = 48

/** The sites of a client of the agency. */
export function YourSitesPage() {
  const { data, error, refetch } = useQuery(clientSitesQuery)
  const [all, setAll] = useState(false)
  const sites = data?.sites ?? []
  const shown = all ? sites : sites.slice(0, MAX_SHOWN)
  return (
    <Page title="Your sites">
      <QueryState of={{ data, error, refetch }} rows={6} />
      {data?.sites.length === 0 && (
        <Empty icon={<Globe />} title="You have no sites here yet">
          Your agency gives you access to them.
        </Empty>
      )}
      {shown.length > 0 && (
        <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
          {shown.map((site) => (
            <li key={site.id} className="min-w-0">
              <SiteCard site={site} />
            </li>
          ))}
        </ul>
      )}
      {shown.length < sites.length && (
        <div className="text-center">
          <Button onClick={() => setAll(true)}>Show all {formatNumber(sites.length)}</Button>
        </div>
      )}
      {data?.more && all && (
        <p className="text-muted">Only the first {formatNumber(sites.length)} are shown.</p>
      )}
    </Page>
  )
}

const SiteCard = ({ site }: { site: ClientSite }) => (
  <article className="flex h-full flex-col gap-3 rounded-xl border border-line bg-surface p-4">
    <h2 className="font-semibold wrap-anywhere">
      <Link
        to="/your-sites/$site_id"
        params={{ site_id: String(site.id) }}
        className="text-accent hover:underline"
      >
        {unicodeOf(site.domain)}
      </Link>
    </h2>
    <ClientState of={site} />
    <Facts
      of={{
        [`Requests in ${CLIENT_DAYS} days`]: requestsText(site.requests),
        'Last backup': <Time at={site.last_backup_at} />,
        'Last tested backup': <Time at={site.last_proof_at} />,
      }}
    />
  </article>
)

/** The number of requests; a site without numbers has none. */
export const requestsText = (requests: number | null): string =>
  requests === null ? 'not counted' : formatNumber(requests)
