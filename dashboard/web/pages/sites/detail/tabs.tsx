import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { domainStatesQuery } from '#dashboard/web/api/domains.ts'
import { type Settings, settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WhoMayCard } from '#dashboard/web/features/access/who-may-card.tsx'
import { MailCard } from '#dashboard/web/features/mail/mail-card.tsx'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { AdminPassword } from '#dashboard/web/features/sites/access/admin-password.tsx'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import {
  SITE_TAB_GROUPS,
  SITE_TABS,
  type SiteTab,
  siteTabs,
} from '#dashboard/web/features/sites/site-search.ts'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { isWordpress } from '#dashboard/web/features/sites/urls.ts'
import { ClientsCard } from '#dashboard/web/pages/access/clients-card.tsx'
import { SessionsCard } from '#dashboard/web/pages/access/sessions-card.tsx'
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
import { ReportTab } from '#dashboard/web/pages/reports/report-tab.tsx'
import { BackupsTab } from '#dashboard/web/pages/sites/detail/backups/backups.tsx'
import { FactsCard } from '#dashboard/web/pages/sites/detail/overview/facts-card.tsx'
import { NotManagedCard } from '#dashboard/web/pages/sites/detail/overview/not-managed-card.tsx'
import { MaintenanceRow } from '#dashboard/web/pages/sites/detail/settings/maintenance.tsx'
import { PageCacheCard } from '#dashboard/web/pages/sites/detail/settings/page-cache-card.tsx'
import { PasswordRow } from '#dashboard/web/pages/sites/detail/settings/password.tsx'
import { draftOf, settingsOf } from '#dashboard/web/pages/sites/detail/settings/php-draft.ts'
import { LABELS, PhpFields } from '#dashboard/web/pages/sites/detail/settings/php-fields.tsx'
import { SecurityHeadersCard } from '#dashboard/web/pages/sites/detail/settings/security-headers-card.tsx'
import { WordpressCard } from '#dashboard/web/pages/wordpress/wordpress-card.tsx'
import { XmlrpcCard } from '#dashboard/web/pages/wordpress/xmlrpc-card.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { Tab, TabGroup } from '#dashboard/web/ui/tabs.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { PHP_LIMITS } from '#shared/kernel/php-values.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { ShownCheck } from '#shared/kernel/values.ts'
import { CDNS } from '#shared/sites/cdn.ts'

interface SiteTabEntry {
  /** Whether a site has the tab; by default every site has it. */
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
        <SessionsCard site={site} />
        <WhoMayCard server_id={site.server_id} site_id={site.id} />
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
  report: {
    has: ({ site }) => !site.found && site.status !== 'trashed',
    content: ({ site }) => <ReportTab site={site} />,
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

/** Who sees the site. */
function VisitorsCard({ site }: { site: Site }) {
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

const NAMES: Record<ShownCheck, string> = {
  php: 'PHP',
  database: 'Database',
  http: 'Front page',
  certificate: 'Certificate',
  visit: 'From outside',
}

/** What each check of the site found. */
function HealthCard({ site }: { site: Site }) {
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

/** The limits of PHP and other settings of php.ini. */
function PhpLimitsCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(settingsQuery(site))
  const { dialog, show } = useDialog()
  return (
    <Card
      title="PHP settings"
      actions={
        isOnServer &&
        data && (
          <Button needs="operate" onClick={show}>
            Change PHP settings
          </Button>
        )
      }
    >
      <QueryState of={{ data, error, refetch }} rows={4} />
      {data && <Facts of={factsOf(data)} />}
      {data && dialog.open && <Change site={site} settings={data} {...dialog} />}
    </Card>
  )
}

function factsOf({ php_settings, php_limits }: Settings) {
  const limits = PHP_LIMITS.map((name) => {
    const { usual, most } = php_limits[name]
    const set = php_settings?.[name]
    const value = Math.min(set ?? usual, most)
    const { name: label, unit } = LABELS[name]
    return [
      label,
      <>
        {`${value} ${unit}`}
        {set === undefined && <span className="text-xs text-muted"> as its tier</span>}
        {set !== undefined && set > most && (
          <span className="text-xs text-muted"> of {set}: the most of its tier</span>
        )}
      </>,
    ] as const
  })
  return { ...Object.fromEntries(limits), ...php_settings?.values }
}

function Change({ site, settings, ...dialog }: DialogState & { site: Site; settings: Settings }) {
  const [draft, setDraft] = useState(() => draftOf(settings.php_settings))
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`PHP settings of ${unicodeOf(site.domain)}`}
      about="PHP is tested with the new settings, and reloaded without losing a request. If it does not answer with them, the former ones are restored."
      action="Apply PHP settings"
      input={{ php_settings: settingsOf(draft) }}
    >
      <PhpFields draft={draft} ranges={settings.php_limits} onChange={setDraft} />
    </SettingsDialog>
  )
}

interface Props {
  site: Site
  trusted: Settings['trusted_cdn']
}

/** The CDN in front of the site, which names each visitor. */
function TrustedCdnRow({ site, trusted }: Props) {
  const { dialog, show } = useDialog()
  const { data } = useQuery({ ...domainStatesQuery(site), enabled: site.status === 'active' })
  const found = data?.names.find(({ name }) => name === site.domain)?.cdn
  return (
    <AccessRow
      name={trusted ? `${trusted} reports visitor addresses` : 'Visitors connect directly'}
      about={aboutOf(trusted, found ?? null)}
    >
      <Button needs="operate" onClick={show}>
        Change CDN
      </Button>
      {dialog.open && <Choice site={site} trusted={trusted} found={found ?? null} {...dialog} />}
    </AccessRow>
  )
}

function aboutOf(trusted: Settings['trusted_cdn'], found: string | null): string {
  if (trusted)
    return `Limits, logs and PHP use the address that ${trusted} reports. The header is ignored in requests from other networks.`
  return found === null
    ? 'Limits, logs and PHP use the address of the connection.'
    : `${found} is in front of this site: limits, logs and PHP use its addresses instead of those of visitors.`
}

type ChoiceProps = Props & DialogState & { found: string | null }

function Choice({ site, trusted, found, ...dialog }: ChoiceProps) {
  const [chosen, setChosen] = useState(trusted ?? CDNS.find((cdn) => cdn === found) ?? null)
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`CDN in front of ${unicodeOf(site.domain)}`}
      about="nginx takes the address of a visitor from the header of this network. Requests from other networks keep the address of their connection."
      action="Save CDN"
      input={{ trusted_cdn: chosen }}
    >
      <SelectField
        name="cdn"
        label="CDN"
        hint={
          found === null ? 'The tab Domains shows where DNS points.' : `DNS points to ${found}.`
        }
        value={chosen}
        options={[{ value: null, name: 'None: visitors connect directly' }, ...named(...CDNS)]}
        onChange={setChosen}
      />
    </SettingsDialog>
  )
}
