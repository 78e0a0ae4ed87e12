import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { ApiError } from '#dashboard/web/api/client.ts'
import { type Site, siteQuery } from '#dashboard/web/api/sites.ts'
import { AlsoOn } from '#dashboard/web/features/sites/also-on.tsx'
import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { OutLink } from '#dashboard/web/ui/out-link.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import { Badge, Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#dashboard/web/ui/unicode-domain.ts'
import { ActivityCard } from './activity-card.tsx'
import { DeleteCard } from './delete-card.tsx'
import { Gone } from './gone.tsx'
import { JobsCard } from './jobs-card.tsx'
import { LivePart } from './live-part.tsx'
import { OperationsCard } from './operations-card.tsx'
import { readSiteSearch } from './search.ts'
import { ServerAway } from './server-away.tsx'
import { Side } from './side.tsx'
import { Situation } from './situation.tsx'
import { Unwell } from './unwell.tsx'
import { isWordpress, urlsOf } from './urls.ts'
import { WordpressCard } from './wordpress-card.tsx'

/** Everything about one site, and what can be done to it. */
export function SitePage() {
  const { site_id } = useParams({ from: '/inside/sites/$site_id' })
  const id = Number(site_id)
  const { data, error, refetch } = useQuery({ ...siteQuery(id), enabled: id > 0 })
  const operation = useSearch({
    from: '/inside/sites/$site_id',
    select: (raw) => readSiteSearch({ ...raw }).operation,
  })
  const isGone = error instanceof ApiError && error.status === 404
  if (!(id > 0)) return <NotFound />
  if (isGone) return <Gone domain={data?.domain} operation_id={operation} />
  return (
    <Page
      title={data?.domain ?? 'Site'}
      trail={<Trail site={data} />}
      about={data && <About site={data} />}
      actions={data && <Links site={data} />}
    >
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && <Parts site={data} operation={operation} />}
    </Page>
  )
}

function Parts({ site, operation }: { site: Site; operation: string | undefined }) {
  // The operation that is shown says why, and is tried again there.
  const isUnmade = site.status === 'failed' || site.status === 'cancelled'
  const isThere = site.status === 'active' || site.status === 'suspended'
  return (
    <>
      <ServerAway site={site} />
      {!(isUnmade && operation) && <Situation site={site} />}
      <AlsoOn domain={site.domain} also_on={site.also_on} />
      <Unwell site={site} />
      <LivePart site={site} asked={operation} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          {isWordpress(site) && (isThere || site.inventory) && (
            <WordpressCard site={site} isThere={isThere} />
          )}
          <OperationsCard site={site} />
          {isThere && !site.found && <JobsCard site={site} />}
          <ActivityCard site={site} />
        </div>
        <Side site={site} isThere={isThere} />
      </div>
      {!site.found && <DeleteCard site={site} />}
    </>
  )
}

function Trail({ site }: { site: Site | undefined }) {
  return (
    <nav aria-label="Where this is" className="flex gap-1.5">
      <Link to="/sites" className="hover:underline">
        Sites
      </Link>
      {site && (
        <>
          <span aria-hidden>/</span>
          <Link
            to="/servers/$server_id"
            params={{ server_id: String(site.server_id) }}
            className="hover:underline"
          >
            {site.server}
          </Link>
        </>
      )}
    </nav>
  )
}

function About({ site }: { site: Site }) {
  const spelled = unicodeOf(site.domain)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Status value={site.status} />
      {site.found && <Badge>not managed</Badge>}
      {site.ignored && <Badge>ignored</Badge>}
      {site.closed && <Badge tone="warn">closed to visitors</Badge>}
      {site.health && <HealthBadge state={site.health} reason={site.health_reason} />}
      {site.health_since !== null && (
        <span>
          since <Time at={site.health_since} />
        </span>
      )}
      {spelled !== site.domain && <span>{spelled}</span>}
    </span>
  )
}

function Links({ site }: { site: Site }) {
  if (site.status !== 'active' && site.status !== 'suspended') return null
  const { home, admin } = urlsOf(site)
  return (
    <>
      <OutLink href={home}>Open site</OutLink>
      {isWordpress(site) && <OutLink href={admin}>WordPress admin</OutLink>}
    </>
  )
}
