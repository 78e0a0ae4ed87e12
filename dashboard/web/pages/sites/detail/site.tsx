import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { isNotFound } from '#dashboard/web/api/client.ts'
import { siteQuery } from '#dashboard/web/api/sites.ts'
import { Contradictions } from '#dashboard/web/features/servers/contradictions.tsx'
import { AlsoOn } from '#dashboard/web/features/sites/also-on.tsx'
import { readSiteSearch, type SiteTab } from '#dashboard/web/features/sites/site-search.ts'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { Moved } from '#dashboard/web/pages/moves/moved.tsx'
import { CurrentOperation } from '#dashboard/web/pages/sites/detail/notices/current-operation.tsx'
import { ServerOffline } from '#dashboard/web/pages/sites/detail/notices/server-offline.tsx'
import { StagingNotice } from '#dashboard/web/pages/sites/detail/notices/staging-notice.tsx'
import { StatusNotice } from '#dashboard/web/pages/sites/detail/notices/status-notice.tsx'
import { Unhealthy } from '#dashboard/web/pages/sites/detail/notices/unhealthy.tsx'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { DeletedSite } from './deleted-site.tsx'
import { About, Actions, Trail } from './header.tsx'
import { tabsOf } from './tabs.tsx'

const FROM = '/inside/sites/$site_id'

/** Everything about one site, and what can be done to it. */
export function SitePage() {
  const { site_id } = useParams({ from: FROM })
  const id = Number(site_id)
  const { data, error, refetch } = useQuery({ ...siteQuery(id), enabled: id > 0 })
  const operation = useSearch({ from: FROM, select: (raw) => readSiteSearch({ ...raw }).operation })
  const isOnServer = data?.status === 'active' || data?.status === 'suspended'
  if (!(id > 0)) return <NotFound />
  if (isNotFound(error)) return <DeletedSite domain={data?.domain} operation_id={operation} />
  return (
    <Page
      title={data ? unicodeOf(data.domain) : 'Site'}
      trail={<Trail site={data} />}
      about={data && <About site={data} />}
      actions={data && <Actions site={data} isOnServer={isOnServer} />}
    >
      <QueryState of={{ data, error, refetch }} rows={10} />
      {data && (
        <>
          <Notices site={data} operation={operation} />
          <Parts site={data} isOnServer={isOnServer} />
        </>
      )}
    </Page>
  )
}

/** Shown above every tab. */
function Notices({ site, operation }: Pick<TabProps, 'site'> & { operation: string | undefined }) {
  // The shown operation has the reason and the retry button.
  const isNotCreated = site.status === 'failed' || site.status === 'cancelled'
  return (
    <>
      <ServerOffline site={site} />
      <Contradictions of={{ site_id: site.id }} />
      {!(isNotCreated && operation) && <StatusNotice site={site} />}
      <StagingNotice site={site} />
      <Moved site={site} />
      <AlsoOn domain={site.domain} also_on={site.also_on} />
      <Unhealthy site={site} />
      <CurrentOperation site={site} requested={operation} />
    </>
  )
}

function Parts(props: TabProps) {
  const navigate = useNavigate({ from: '/sites/$site_id' })
  const requested = useSearch({ from: FROM, select: (raw) => readSiteSearch({ ...raw }).tab })
  const groups = tabsOf(props)
  const tabs = groups.flatMap((group) => group.tabs)
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
      label={`Parts of ${unicodeOf(props.site.domain)}`}
      groups={groups}
      value={tabs.find(({ value }) => value === requested)?.value ?? 'overview'}
      onChange={open}
    />
  )
}
