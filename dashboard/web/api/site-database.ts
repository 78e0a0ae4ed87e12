import { queryOptions } from '@tanstack/react-query'
import { call, type Sent, start } from './client.ts'
import type { SiteWork } from './site-work.ts'
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

export type Maintenance =
  Sent<'POST /api/servers/:server_id/sites/:site_id/database/maintenance'>['body']

export const maintainTables = (site: SitePlace, input: Maintenance): SiteWork => ({
  key: ['maintain-tables', site.id, input],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/database/maintenance', {
      params: at(site),
      body: { ...input, ...more },
    }),
})

/** The temporary users that have not ended. */
export const databaseUsersQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'database-users'],
    queryFn: async () => {
      const sent = { params: at(site) }
      return (await call('GET /api/servers/:server_id/sites/:site_id/database/users', sent)).users
    },
    retry: false,
    staleTime: 0,
    refetchInterval: 20_000,
  })

type NewUser = Sent<'POST /api/servers/:server_id/sites/:site_id/database/users'>['body']

/** Returns the password, which is not stored; the query client never has it. */
export const createDatabaseUser = (site: SitePlace, body: NewUser) =>
  call('POST /api/servers/:server_id/sites/:site_id/database/users', { params: at(site), body })

/** Resolves to a sentence about it. */
export async function endDatabaseUser(site: SitePlace, user: string): Promise<string> {
  const answer = await call('POST /api/servers/:server_id/sites/:site_id/database/users/end', {
    params: at(site),
    body: { user },
  })
  return 'message' in answer ? answer.message : ''
}

export const exportAddress = ({ id, server_id }: SitePlace): string =>
  `/api/servers/${server_id}/sites/${id}/database/export`

/** How far the export is that was asked for the n-th time; it ends after it, or if none is seen. */
export const exportQuery = (site: SitePlace, asked: number) =>
  queryOptions({
    queryKey: ['site', site.id, 'export', asked],
    queryFn: async () => {
      const sent = { params: at(site) }
      const way = 'GET /api/servers/:server_id/sites/:site_id/database/export/progress'
      return (await call(way, sent)).export
    },
    enabled: asked > 0,
    retry: false,
    staleTime: 0,
    refetchInterval: ({ state: { data, status, dataUpdateCount } }) =>
      status !== 'error' && (data || dataUpdateCount < 5) ? 1000 : false,
  })
