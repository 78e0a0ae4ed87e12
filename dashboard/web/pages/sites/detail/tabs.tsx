import type { ReactNode } from 'react'
import { MailCard } from '#dashboard/web/features/mail/mail-card.tsx'
import { AdminPassword } from '#dashboard/web/features/sites/access/admin-password.tsx'
import {
  SITE_TAB_GROUPS,
  SITE_TABS,
  type SiteTab,
  siteTabs,
} from '#dashboard/web/features/sites/site-search.ts'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { isWordpress } from '#dashboard/web/features/sites/urls.ts'
import { ClientsCard } from '#dashboard/web/pages/access/clients-card.tsx'
import { SftpCard } from '#dashboard/web/pages/access/sftp-card.tsx'
import { ActivityTab } from '#dashboard/web/pages/activity/site/activity.tsx'
import { StagingTab } from '#dashboard/web/pages/copies/staging.tsx'
import { DatabaseTab } from '#dashboard/web/pages/database/database.tsx'
import { DatabaseReadings } from '#dashboard/web/pages/database/readings.tsx'
import { DomainsCard } from '#dashboard/web/pages/domains/domains-card.tsx'
import { TlsCard } from '#dashboard/web/pages/domains/tls-card.tsx'
import { CronJobsCard } from '#dashboard/web/pages/jobs/cron-jobs-card.tsx'
import { EventsCard } from '#dashboard/web/pages/jobs/events-card.tsx'
import { RunsCard } from '#dashboard/web/pages/jobs/runs-card.tsx'
import { LogsTab } from '#dashboard/web/pages/logs/logs.tsx'
import { NumbersTab } from '#dashboard/web/pages/metrics/numbers-tab.tsx'
import { TierAdvice } from '#dashboard/web/pages/metrics/tier-advice.tsx'
import { ObjectCacheCard } from '#dashboard/web/pages/object-cache/object-cache-card.tsx'
import { PhpCard } from '#dashboard/web/pages/php/php-card.tsx'
import { BackupsTab } from '#dashboard/web/pages/sites/detail/backups/backups.tsx'
import { FactsCard } from '#dashboard/web/pages/sites/detail/overview/facts-card.tsx'
import { HealthCard } from '#dashboard/web/pages/sites/detail/overview/health-card.tsx'
import { NotManagedCard } from '#dashboard/web/pages/sites/detail/overview/not-managed-card.tsx'
import { PageCacheCard } from '#dashboard/web/pages/sites/detail/settings/page-cache-card.tsx'
import { PhpLimitsCard } from '#dashboard/web/pages/sites/detail/settings/php-limits-card.tsx'
import { SecurityHeadersCard } from '#dashboard/web/pages/sites/detail/settings/security-headers-card.tsx'
import { VisitorsCard } from '#dashboard/web/pages/sites/detail/settings/visitors-card.tsx'
import { WordpressCard } from '#dashboard/web/pages/wordpress/wordpress-card.tsx'
import { XmlrpcCard } from '#dashboard/web/pages/wordpress/xmlrpc-card.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import type { Tab, TabGroup } from '#dashboard/web/ui/tabs.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface SiteTabEntry {
  /** Default: every site has it. */
  has?: (props: TabProps) => boolean
  content: (props: TabProps) => ReactNode
}

const isManaged = ({ site, isOnServer }: TabProps) => isOnServer && !site.found

const TABS: Record<SiteTab, SiteTabEntry> = {
  overview: {
    content: (props) => (
      <>
        {isManaged(props) && <TierAdvice site={props.site} />}
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <FactsCard site={props.site} />
          <div className="flex min-w-0 flex-col gap-5">
            {!props.site.managed && <NotManagedCard site={props.site} />}
            <HealthCard site={props.site} />
          </div>
        </div>
      </>
    ),
  },
  domains: {
    has: ({ site: { found, tls, unknown } }) =>
      !found || tls !== 'none' || unknown.tls !== undefined,
    content: (props) => (
      <>
        {!props.site.found && <DomainsCard {...props} />}
        <TlsCard {...props} />
        {isManaged(props) && <VisitorsCard site={props.site} />}
        {isManaged(props) && <SecurityHeadersCard site={props.site} />}
      </>
    ),
  },
  wordpress: {
    has: ({ site, isOnServer }) => isWordpress(site) && (isOnServer || site.inventory !== null),
    content: (props) => (
      <>
        <WordpressCard {...props} />
        {isManaged(props) && <XmlrpcCard {...props} />}
      </>
    ),
  },
  jobs: {
    has: isManaged,
    content: ({ site }) => (
      <>
        <CronJobsCard site={site} />
        {isWordpress(site) && (
          <>
            <EventsCard site={site} />
            <RunsCard site={site} />
          </>
        )}
      </>
    ),
  },
  database: {
    has: ({ site, isOnServer }) => isOnServer || site.db_name !== '',
    content: (props) => (
      <>
        <DatabaseTab {...props} />
        {isManaged(props) && <DatabaseReadings site={props.site} />}
      </>
    ),
  },
  backups: {
    has: isManaged,
    content: ({ site }) => <BackupsTab site={site} />,
  },
  staging: {
    has: isManaged,
    content: ({ site }) => <StagingTab site={site} />,
  },
  php: {
    has: ({ site }) => !site.found,
    content: (props) => (
      <>
        <PhpCard {...props} />
        {isManaged(props) && (
          <>
            <PhpLimitsCard {...props} />
            <PageCacheCard {...props} />
            {isWordpress(props.site) && <ObjectCacheCard {...props} />}
          </>
        )}
      </>
    ),
  },
  mail: {
    has: isManaged,
    content: ({ site: { server_id, id, domain } }) => (
      <MailCard target={{ server_id, site_id: id }} name={unicodeOf(domain)} />
    ),
  },
  access: {
    has: isManaged,
    content: ({ site }) => (
      <>
        <SftpCard site={site} />
        <ClientsCard site={site} />
        {isWordpress(site) && (
          <Card title="WordPress">
            <AdminPassword site={site} />
          </Card>
        )}
      </>
    ),
  },
  metrics: {
    has: isManaged,
    content: ({ site }) => <NumbersTab site={site} />,
  },
  logs: {
    has: isManaged,
    content: ({ site }) => <LogsTab site={site} />,
  },
  activity: { content: (props) => <ActivityTab {...props} /> },
}

/** The groups of tabs that a site has: one that Hosting Control only discovered has fewer. */
export function tabsOf(props: TabProps): TabGroup<SiteTab>[] {
  const groups: { name: string; tabs: Tab<SiteTab>[] }[] = []
  for (const value of siteTabs) {
    const name = SITE_TAB_GROUPS[value]
    if (name !== undefined || groups.length === 0) groups.push({ name: name ?? '', tabs: [] })
    if (!(TABS[value].has?.(props) ?? true)) continue
    groups.at(-1)?.tabs.push({ value, name: SITE_TABS[value], content: TABS[value].content(props) })
  }
  return groups.filter(({ tabs }) => tabs.length > 0)
}
