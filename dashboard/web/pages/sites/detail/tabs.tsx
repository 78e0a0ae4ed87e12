import type { ReactNode } from 'react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { MailCard } from '#dashboard/web/features/mail/mail-card.tsx'
import type { Tab } from '#dashboard/web/ui/tabs.tsx'
import { AccessTab } from './access/access.tsx'
import { ActivityTab } from './activity/activity.tsx'
import { DatabaseTab } from './database/database.tsx'
import { TlsCard } from './domains/tls-card.tsx'
import { OverviewTab } from './overview/overview.tsx'
import { PhpCard } from './php/php-card.tsx'
import { SITE_TABS, type SiteTab } from './search.ts'
import { isWordpress } from './urls.ts'
import { WordpressTab } from './wordpress/wordpress.tsx'

export interface TabProps {
  site: Site
  /** It is on its server, so that it can be changed. */
  isThere: boolean
}

interface SiteTabEntry {
  name: string
  /** Default: every site has it. */
  has?: (props: TabProps) => boolean
  content: (props: TabProps) => ReactNode
}

const isManaged = ({ site, isThere }: TabProps) => isThere && !site.found

const TABS: Record<SiteTab, SiteTabEntry> = {
  overview: { name: 'Overview', content: (props) => <OverviewTab {...props} /> },
  domains: {
    name: 'Domains',
    has: ({ site: { found, tls, unknown } }) =>
      !found || tls !== 'none' || unknown.tls !== undefined,
    content: (props) => <TlsCard {...props} />,
  },
  wordpress: {
    name: 'WordPress',
    has: ({ site, isThere }) => isWordpress(site) && (isThere || site.inventory !== null),
    content: (props) => <WordpressTab {...props} />,
  },
  database: {
    name: 'Database',
    has: ({ site, isThere }) => isThere || site.db_name !== '',
    content: (props) => <DatabaseTab {...props} />,
  },
  php: {
    name: 'PHP',
    has: ({ site }) => !site.found,
    content: (props) => <PhpCard {...props} />,
  },
  mail: {
    name: 'Mail',
    has: isManaged,
    content: ({ site: { server_id, id, domain } }) => (
      <MailCard target={{ server_id, site_id: id }} name={domain} />
    ),
  },
  access: {
    name: 'Access',
    has: (props) => isManaged(props) && isWordpress(props.site),
    content: (props) => <AccessTab {...props} />,
  },
  activity: { name: 'Activity', content: (props) => <ActivityTab {...props} /> },
}

/** Those that this site has: a site that Hosting Control only found has fewer. */
export const tabsOf = (props: TabProps): Tab<SiteTab>[] =>
  SITE_TABS.filter((value) => TABS[value].has?.(props) ?? true).map((value) => ({
    value,
    name: TABS[value].name,
    content: TABS[value].content(props),
  }))
