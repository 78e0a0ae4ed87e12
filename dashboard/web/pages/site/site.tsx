import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { ApiError } from '../../api/client.ts'
import { type Site, siteQuery } from '../../api/sites.ts'
import { NotFound } from '../../app/not-found.tsx'
import { OutLink } from '../../ui/out-link.tsx'
import { Page } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { unicodeOf } from '../../ui/unicode-domain.ts'
import { ActivityCard } from './activity-card.tsx'
import { DeleteCard } from './delete-card.tsx'
import { FactsCard } from './facts-card.tsx'
import { LivePart } from './live-part.tsx'
import { OperationsCard } from './operations-card.tsx'
import { PasswordsCard } from './passwords-card.tsx'
import { ResourcesCard } from './resources-card.tsx'
import { readSiteSearch } from './search.ts'
import { ServerAway } from './server-away.tsx'
import { Situation } from './situation.tsx'
import { TlsCard } from './tls-card.tsx'
import { isWordpress, urlsOf } from './urls.ts'
import { WordpressCard } from './wordpress-card.tsx'

/** Everything about one site, and what can be done to it. */
export function SitePage() {
  const { site_id } = useParams({ from: '/inside/sites/$site_id' })
  const id = Number(site_id)
  const { data, error, refetch } = useQuery({ ...siteQuery(id), enabled: id > 0 })
  const isGone = error instanceof ApiError && error.status === 404
  if (!(id > 0) || isGone) return <NotFound />
  return (
    <Page
      title={data?.domain ?? 'Site'}
      trail={<Trail site={data} />}
      about={data && <About site={data} />}
      actions={data && <Links site={data} />}
    >
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && <Parts site={data} />}
    </Page>
  )
}

function Parts({ site }: { site: Site }) {
  const operation = useSearch({
    from: '/inside/sites/$site_id',
    select: (raw) => readSiteSearch({ ...raw }).operation,
  })
  const isThere = site.status === 'active' || site.status === 'suspended'
  return (
    <>
      <ServerAway site={site} />
      <Situation site={site} />
      <LivePart site={site} asked={operation} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          {isWordpress(site) && (isThere || site.inventory) && (
            <WordpressCard site={site} isThere={isThere} />
          )}
          <OperationsCard site={site} />
          <ActivityCard domain={site.domain} />
        </div>
        <div className="flex min-w-0 flex-col gap-5 max-xl:order-first">
          <FactsCard site={site} />
          <ResourcesCard site={site} isThere={isThere} />
          <TlsCard site={site} isThere={isThere} />
          {isThere && site.managed && <PasswordsCard site={site} />}
        </div>
      </div>
      <DeleteCard site={site} />
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
