import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { isNotFound } from '#dashboard/web/api/client.ts'
import { siteQuery } from '#dashboard/web/api/sites.ts'
import { AlsoOn } from '#dashboard/web/features/sites/also-on.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'
import { Gone } from './gone.tsx'
import { About, Actions, Trail } from './header.tsx'
import { LivePart } from './notices/live-part.tsx'
import { ServerAway } from './notices/server-away.tsx'
import { Situation } from './notices/situation.tsx'
import { Unwell } from './notices/unwell.tsx'
import { readSiteSearch, type SiteTab } from './search.ts'
import { type TabProps, tabsOf } from './tabs.tsx'

const FROM = '/inside/sites/$site_id'

/** Everything about one site, and what can be done to it. */
export function SitePage() {
  const { site_id } = useParams({ from: FROM })
  const id = Number(site_id)
  const { data, error, refetch } = useQuery({ ...siteQuery(id), enabled: id > 0 })
  const operation = useSearch({ from: FROM, select: (raw) => readSiteSearch({ ...raw }).operation })
  const isThere = data?.status === 'active' || data?.status === 'suspended'
  if (!(id > 0)) return <NotFound />
  if (isNotFound(error)) return <Gone domain={data?.domain} operation_id={operation} />
  return (
    <Page
      title={data?.domain ?? 'Site'}
      trail={<Trail site={data} />}
      about={data && <About site={data} />}
      actions={data && <Actions site={data} isThere={isThere} />}
    >
      <QueryState of={{ data, error, refetch }} rows={10} />
      {data && (
        <>
          <Notices site={data} operation={operation} />
          <Parts site={data} isThere={isThere} />
        </>
      )}
    </Page>
  )
}

/** Shown above every tab. */
function Notices({ site, operation }: Pick<TabProps, 'site'> & { operation: string | undefined }) {
  // The operation that is shown says why, and is retried there.
  const isUnmade = site.status === 'failed' || site.status === 'cancelled'
  return (
    <>
      <ServerAway site={site} />
      {!(isUnmade && operation) && <Situation site={site} />}
      <AlsoOn domain={site.domain} also_on={site.also_on} />
      <Unwell site={site} />
      <LivePart site={site} asked={operation} />
    </>
  )
}

function Parts(props: TabProps) {
  const navigate = useNavigate({ from: '/sites/$site_id' })
  const asked = useSearch({ from: FROM, select: (raw) => readSiteSearch({ ...raw }).tab })
  const tabs = tabsOf(props)
  const open = (tab: SiteTab) =>
    void navigate({
      search: ({ operation }) => ({
        ...(tab !== 'overview' && { tab }),
        ...(operation && { operation }),
      }),
      resetScroll: false,
    })
  return (
    <Tabs
      label={`Parts of ${props.site.domain}`}
      tabs={tabs}
      value={tabs.find(({ value }) => value === asked)?.value ?? 'overview'}
      onChange={open}
    />
  )
}
