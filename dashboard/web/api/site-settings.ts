import { queryOptions } from '@tanstack/react-query'
import { withConfirmation } from './password-confirmation.ts'
import { callSite, type SiteAnswer, type SiteBody, type SitePlace, siteWork } from './site-call.ts'

export const settingsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'settings'],
    queryFn: async () => (await callSite(site, 'GET settings')).settings,
  })

export type Settings = SiteAnswer<'GET settings'>['settings']
export type SettingsInput = SiteBody<'PATCH settings'>

export const configureSite = (site: SitePlace, input: SettingsInput) =>
  siteWork(site, 'PATCH settings', input)

/** Returns the password of visitors, which the query client does not keep. */
export const showSitePassword = (site: SitePlace) =>
  withConfirmation(() => callSite(site, 'POST visitor-password'))

export type ObjectCache = SiteAnswer<'GET object-cache'>['object_cache']

/** Read on the server, which may be offline: not retried, and not repeated automatically. */
export const objectCacheQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'object-cache'],
    queryFn: async ({ signal }) =>
      (await callSite(site, 'GET object-cache', { signal })).object_cache,
    retry: false,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  })

/** Gives the object cache this memory in MB; null turns it off. */
export const setObjectCache = (site: SitePlace, memory: number | null) =>
  siteWork(site, 'POST object-cache', { memory })
