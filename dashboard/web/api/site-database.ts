import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { SitePlace } from './sites.ts'

const at = ({ id, server_id }: SitePlace) => ({ server_id, site_id: id })

/** Requested from the server, which may be offline: it is not retried. */
export const siteDatabaseQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'database'],
    queryFn: async () => {
      const sent = { params: at(site) }
      return (await call('GET /api/servers/:server_id/sites/:site_id/database', sent)).database
    },
    retry: false,
    staleTime: 0,
  })
