import { queryOptions } from '@tanstack/react-query'
import { callSite, type SitePlace, type SiteWork, siteWork, startOnSite } from './site-call.ts'

/** The move of a site that is not confirmed: the former server, and where DNS points. */
export const moveQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['move', site.id, site.server_id],
    queryFn: () => callSite(site, 'GET move'),
  })

/** Moves a site to another server. */
export const moveSite = (site: SitePlace, server_id: number) =>
  siteWork(site, 'POST move', { server_id })

/** Moves a site back to its former server. */
export const moveSiteBack = (site: SitePlace, discard_changes: boolean): SiteWork => ({
  key: ['move-back', site.id, discard_changes],
  call: ({ dry_run }) =>
    startOnSite(site, 'POST move-back', { body: { discard_changes, ...(dry_run && { dry_run }) } }),
})

export const confirmMove = (site: SitePlace): SiteWork => ({
  key: ['move-confirm', site.id],
  call: ({ dry_run }) =>
    startOnSite(site, 'POST move-confirm', { body: { ...(dry_run && { dry_run }) } }),
})
