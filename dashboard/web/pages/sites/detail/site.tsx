import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CircleCheck, ExternalLink, TriangleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { BACKUPS } from '#dashboard/web/api/backups.ts'
import { isForbidden, isNotFound } from '#dashboard/web/api/client.ts'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import { type Site, siteQuery } from '#dashboard/web/api/sites.ts'
import { OperationLive } from '#dashboard/web/features/operations/operation-live.tsx'
import { Contradictions } from '#dashboard/web/features/servers/contradictions.tsx'
import { AdminPassword } from '#dashboard/web/features/sites/access/admin-password.tsx'
import { SameNameNotice } from '#dashboard/web/features/sites/same-name-notice.tsx'
import { readSiteSearch, type SiteTab } from '#dashboard/web/features/sites/site-search.ts'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { isWordpress, urlsOf } from '#dashboard/web/features/sites/urls.ts'
import { useServerOf } from '#dashboard/web/features/sites/use-server.ts'
import { useShowOperation } from '#dashboard/web/features/sites/use-show-operation.ts'
import { StagingAccess } from '#dashboard/web/pages/copies/access.tsx'
import { MoveNotices } from '#dashboard/web/pages/moves/move-notices.tsx'
import { SiteMenu } from '#dashboard/web/pages/sites/detail/actions/site-menu.tsx'
import { StatusNotice } from '#dashboard/web/pages/sites/detail/notices/status-notice.tsx'
import { Unhealthy } from '#dashboard/web/pages/sites/detail/notices/unhealthy.tsx'
import { LoginButton } from '#dashboard/web/pages/wordpress/login/login-button.tsx'
import { Button, ButtonAnchor, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { NoAccess, NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { ListLink, ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { placeOf, RightsAt } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge, Status } from '#dashboard/web/ui/status.tsx'
import { Tabs } from '#dashboard/web/ui/tabs.tsx'
import { Lasting, Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { usedBytes } from '#shared/servers/disk-levels.ts'
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
  if (isForbidden(error)) return <NoAccess to="site" />
  return (
    <RightsAt {...(data && placeOf(data))}>
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
    </RightsAt>
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
      <MoveNotices site={site} />
      <SameNameNotice domain={site.domain} also_on={site.also_on} />
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

/** Shown while the server is offline: the data of the site is from its last sync. */
function ServerOffline({ site }: { site: Site }) {
  const server = useServerOf(site)
  if (server?.status !== 'offline') return null
  return (
    <Notice
      kind="wait"
      title={`${site.server} cannot be reached`}
      actions={
        <RightsAt server_id={site.server_id}>
          <ButtonLink
            needs="read"
            to="/servers/$server_id"
            params={{ server_id: String(site.server_id) }}
          >
            Open server
          </ButtonLink>
        </RightsAt>
      }
    >
      The page shows data from <Time at={server.last_sync} none="before its first sync" />. Changes
      wait until the server is online. Certificates, scans, passwords and the cache are not
      available until then.
    </Notice>
  )
}

/** On every tab of a staging site: of which site it is a copy. */
function StagingNotice({ site: { id, staging, copy_of } }: { site: Site }) {
  if (!staging) return null
  return (
    <Notice
      kind="info"
      title={
        copy_of
          ? `Staging of ${unicodeOf(copy_of.domain)}`
          : 'Staging site; its live site was deleted'
      }
      actions={
        <>
          {copy_of && (
            <RightsAt {...placeOf(copy_of)}>
              <ButtonLink
                needs="read"
                to="/sites/$site_id"
                params={{ site_id: String(copy_of.id) }}
              >
                Open live site
              </ButtonLink>
            </RightsAt>
          )}
          <ButtonLink
            to="/sites/$site_id"
            params={{ site_id: String(id) }}
            search={{ tab: 'staging' }}
          >
            Manage staging
          </ButtonLink>
        </>
      }
    >
      Visitors need a password. It sends no mail and runs no scheduled jobs.
    </Notice>
  )
}

interface DeletedSiteProps {
  /** The last known domain, if this page has shown it. */
  domain: string | undefined
  /** The operation that was started here. */
  operation_id: string | undefined
}

/** A deleted site, with the operation that deleted it. */
function DeletedSite({ domain: known, operation_id = '' }: DeletedSiteProps) {
  const { data } = useQuery({ ...operationQuery(operation_id), enabled: operation_id !== '' })
  const domain = known ?? data?.domain
  if (domain === undefined) return <NotFound />
  return (
    <Page
      title={`${unicodeOf(domain)} is deleted`}
      about="The dashboard has no record of this site any more."
      actions={
        <>
          <ButtonLink to="/activity" search={{ domain }}>
            Show activity
          </ButtonLink>
          <ButtonLink to="/sites" kind="primary">
            Go to sites
          </ButtonLink>
        </>
      }
    >
      {data && <OperationLive operation_id={data.id} />}
    </Page>
  )
}

function Trail({ site }: { site: Site | undefined }) {
  return (
    <nav aria-label="Breadcrumb" className="flex gap-1.5">
      <ListLink to="/sites" />
      {site && (
        <>
          <span aria-hidden>/</span>
          <ServerLink id={site.server_id} className="hover:underline">
            {site.server}
          </ServerLink>
        </>
      )}
    </nav>
  )
}

/** The status, the health and the main facts of the site. */
function About({ site }: { site: Site }) {
  const size = site.disk && usedBytes(site.disk)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Status value={site.status} />
      {site.found && <Badge>not managed</Badge>}
      {site.staging && <Badge>staging</Badge>}
      {site.ignored && <Badge>ignored</Badge>}
      {site.closed && <Badge tone="warn">closed to visitors</Badge>}
      {site.health && <HealthBadge state={site.health} reason={site.health_reason} />}
      {site.health_since !== null && <Lasting since={site.health_since} />}
      {site.php && <span>PHP {site.php}</span>}
      {size != null && <span>{formatBytes(size)}</span>}
      {unicodeOf(site.domain) !== site.domain && <span className="break-all">{site.domain}</span>}
    </span>
  )
}

function Actions({ site, isOnServer }: TabProps) {
  const { home, admin } = urlsOf(site)
  return (
    <>
      {isOnServer && <OutLink href={home}>Visit site</OutLink>}
      {isOnServer && isWordpress(site) && site.status !== 'suspended' && (
        <WordpressLogin site={site} admin={admin} />
      )}
      {!site.found && <SiteMenu site={site} isOnServer={isOnServer} />}
    </>
  )
}

/** A site that was found is not touched: its own login page asks. */
const WordpressLogin = ({ site, admin }: { site: Site; admin: string }) =>
  site.found ? <OutLink href={admin}>Log in to WordPress</OutLink> : <LoginButton site={site} />

function OutLink({ href, children }: { href: string; children: string }) {
  return (
    <ButtonAnchor href={href} target="_blank" rel="noreferrer">
      {children}
      <ExternalLink className="text-muted" aria-label="in a new tab" />
    </ButtonAnchor>
  )
}

interface CurrentOperationProps {
  site: Site
  /** The operation in the address: shown until the user hides it. */
  requested: string | undefined
}

/** The operation of the site, and after its creation the next step. */
function CurrentOperation({ site, requested }: CurrentOperationProps) {
  const shown = requested ?? site.operation_id ?? undefined
  return shown === undefined ? null : (
    <Shown key={shown} id={shown} site={site} requested={requested} />
  )
}

function Shown({ id, site, requested }: CurrentOperationProps & { id: string }) {
  const client = useQueryClient()
  const { data } = useQuery(operationQuery(id))
  const hasEnded = data !== undefined && !isActive(data)
  // The page shows the previous state until it is requested again.
  useEffect(() => {
    if (!hasEnded) return
    void client.invalidateQueries({ queryKey: siteQuery(site.id).queryKey })
    void client.invalidateQueries({ queryKey: BACKUPS })
  }, [hasEnded, client, site.id])
  const show = useShowOperation(site.id)
  const isCreated =
    hasEnded &&
    (data.type === 'site.create' || data.type === 'site.clone') &&
    data.status === 'success'
  return (
    <section aria-label="Operation" className="flex flex-col gap-3">
      {isCreated && site.status === 'active' && (
        <Ready
          site={site}
          isCopy={data.type === 'site.clone'}
          hasWarnings={data.warnings.some(({ code }) => code.startsWith('certificate_'))}
        />
      )}
      {isCreated && data.type === 'site.create' ? (
        <details
          // A warning has its reason there.
          open={data.warnings.length > 0}
          className="rounded-xl border border-line bg-surface"
        >
          <summary className="cursor-pointer px-4 py-3">Steps and log of the creation</summary>
          <OperationLive operation_id={id} onRetried={show} />
        </details>
      ) : (
        <OperationLive operation_id={id} onRetried={show} />
      )}
      {hasEnded && requested && (
        <Button kind="quiet" icon={<X />} onClick={() => show(undefined)} className="self-end">
          Hide log
        </Button>
      )}
    </section>
  )
}

interface ReadyProps {
  site: Site
  isCopy: boolean
  hasWarnings: boolean
}

/** Shown after a creation: how to log in, and whether HTTPS is missing. */
function Ready({ site, isCopy, hasWarnings }: ReadyProps) {
  const Icon = hasWarnings ? TriangleAlert : CircleCheck
  return (
    <div
      role="status"
      className={cx(
        'flex flex-col gap-4 rounded-xl border p-4',
        hasWarnings ? 'border-warn bg-warn-soft' : 'border-good bg-good-soft',
      )}
    >
      <p
        className={cx(
          'flex min-w-0 items-center gap-2 font-semibold',
          hasWarnings ? 'text-warn' : 'text-good',
        )}
      >
        <Icon className="size-5 shrink-0" />
        <span className="min-w-0 break-words">
          {unicodeOf(site.domain)} is ready{hasWarnings && ', without HTTPS'}
        </span>
      </p>
      {site.staging && <StagingAccess site={site} />}
      {isCopy ? (
        <p>
          The users and passwords of WordPress are those of the original. Everybody is signed out.
        </p>
      ) : (
        <AdminPassword site={site} />
      )}
    </div>
  )
}
