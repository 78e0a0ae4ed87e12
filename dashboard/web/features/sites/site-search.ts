/** The tabs of a site and their names, in their order. */
export const SITE_TABS = {
  overview: 'Overview',
  domains: 'Domains',
  wordpress: 'WordPress',
  php: 'PHP',
  database: 'Database',
  jobs: 'Jobs',
  backups: 'Backups',
  staging: 'Staging',
  access: 'Access',
  mail: 'Mail',
  metrics: 'Metrics',
  report: 'Report',
  logs: 'Logs',
  activity: 'Activity',
} as const
export type SiteTab = keyof typeof SITE_TABS
export const siteTabs = Object.keys(SITE_TABS) as SiteTab[]

/** The names of groups of tabs, each by its first tab. */
export const SITE_TAB_GROUPS: Partial<Record<SiteTab, string>> = {
  domains: 'Website',
  backups: 'Copies',
  access: 'People and mail',
  metrics: 'Monitoring',
}

/**
 * The address of a site's page holds the open tab, if it is not the first, the shown operation, and
 * whether the dialog for another primary domain, or for a login with the password, is open.
 */
export interface SiteSearch {
  tab?: SiteTab
  operation?: string
  primary?: true
  login?: true
}

export function readSiteSearch(raw: Record<string, unknown>): SiteSearch {
  const { operation } = raw
  const tab = siteTabs.find((each) => each === raw.tab && each !== 'overview')
  const isId = typeof operation === 'string' && /^[\w-]{1,64}$/.test(operation)
  const isPrimary = tab === 'domains' && String(raw.primary) === 'true'
  const isLogin = String(raw.login) === 'true'
  return {
    ...(tab && { tab }),
    ...(isId && { operation }),
    ...(isPrimary && { primary: true }),
    ...(isLogin && { login: true }),
  }
}
