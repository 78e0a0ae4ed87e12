import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, call, start } from './client.ts'
import type { SiteWork } from './site-work.ts'
import type { SitePlace } from './sites.ts'

const at = ({ id, server_id }: SitePlace) => ({ params: { server_id, site_id: id } })

export type ObjectCache =
  AnswerOf<'GET /api/servers/:server_id/sites/:site_id/object-cache'>['object_cache']

/** Read on the server, which may be offline: not retried, and not repeated automatically. */
export const objectCacheQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'object-cache'],
    queryFn: async ({ signal }) => {
      const sent = { ...at(site), signal }
      const path = 'GET /api/servers/:server_id/sites/:site_id/object-cache'
      return (await call(path, sent)).object_cache
    },
    ...{ retry: false, refetchInterval: false, refetchOnWindowFocus: false },
  })

/** `memory` null: off. */
export const setObjectCache = (site: SitePlace, memory: number | null): SiteWork => ({
  key: ['object-cache', site.id, memory],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/object-cache', {
      ...at(site),
      body: { memory, ...more },
    }),
})
