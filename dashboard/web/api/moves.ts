import { queryOptions } from '@tanstack/react-query'
import { call, start } from './client.ts'
import type { SiteWork } from './site-work.ts'
import type { SitePlace } from './sites.ts'

const at = ({ id, server_id }: SitePlace) => ({ server_id, site_id: id })

/** The move of a site that is not confirmed: the former server, and where DNS points. */
export const moveQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['move', site.id, site.server_id],
    queryFn: () => call('GET /api/servers/:server_id/sites/:site_id/move', { params: at(site) }),
  })

/** Moves a site to another server. */
export const moveSite = (site: SitePlace, server_id: number): SiteWork => ({
  key: ['move', site.id, server_id],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/move', {
      params: at(site),
      body: { server_id, ...more },
    }),
})

/** Moves a site back to its former server. */
export const moveSiteBack = (site: SitePlace, discard_changes: boolean): SiteWork => ({
  key: ['move-back', site.id, discard_changes],
  call: ({ dry_run }) =>
    start('POST /api/servers/:server_id/sites/:site_id/move-back', {
      params: at(site),
      body: { discard_changes, ...(dry_run && { dry_run }) },
    }),
})

export const confirmMove = (site: SitePlace): SiteWork => ({
  key: ['move-confirm', site.id],
  call: ({ dry_run }) =>
    start('POST /api/servers/:server_id/sites/:site_id/move-confirm', {
      params: at(site),
      body: { ...(dry_run && { dry_run }) },
    }),
})
