export const SITE_TABS = [
  'overview',
  'domains',
  'wordpress',
  'jobs',
  'database',
  'backups',
  'staging',
  'php',
  'mail',
  'access',
  'logs',
  'activity',
] as const
export type SiteTab = (typeof SITE_TABS)[number]

/** The address of a site's page holds the open tab, if it is not the first, and the shown operation. */
export interface SiteSearch {
  tab?: SiteTab
  operation?: string
}

export function readSiteSearch(raw: Record<string, unknown>): SiteSearch {
  const { operation } = raw
  const tab = SITE_TABS.find((each) => each === raw.tab && each !== 'overview')
  const isId = typeof operation === 'string' && /^[\w-]{1,64}$/.test(operation)
  return { ...(tab && { tab }), ...(isId && { operation }) }
}
