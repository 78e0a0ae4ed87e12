import { queryOptions } from '@tanstack/react-query'
import { call, type Sent, start } from './client.ts'
import type { SiteWork } from './site-work.ts'
import type { SitePlace } from './sites.ts'

const at = ({ id, server_id }: SitePlace) => ({ server_id, site_id: id })

export const settingsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'settings'],
    queryFn: async () => {
      const sent = { params: at(site) }
      return (await call('GET /api/servers/:server_id/sites/:site_id/settings', sent)).settings
    },
  })

export type Settings = Awaited<ReturnType<NonNullable<ReturnType<typeof settingsQuery>['queryFn']>>>

export type SettingsInput = Sent<'PATCH /api/servers/:server_id/sites/:site_id/settings'>['body']

export const configureSite = (site: SitePlace, input: SettingsInput): SiteWork => ({
  key: ['configure', site.id, input],
  call: (more) =>
    start('PATCH /api/servers/:server_id/sites/:site_id/settings', {
      params: at(site),
      body: { ...input, ...more },
    }),
})

/** Not stored in the query client, which would keep it. */
export const showSitePassword = (site: SitePlace) =>
  call('POST /api/servers/:server_id/sites/:site_id/visitor-password', { params: at(site) })
