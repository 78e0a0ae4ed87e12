import { queryOptions } from '@tanstack/react-query'
import type { OpenedTool } from '#shared/database/api/site-database.ts'
import type { UserRights } from '#shared/database/database-user.ts'
import { callSite, type SiteBody, type SitePlace, siteWork } from './site-call.ts'

/** Requested from the server, which may be offline: it is not retried. */
export const siteDatabaseQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'database'],
    queryFn: async () => (await callSite(site, 'GET database')).database,
    retry: false,
    staleTime: 0,
  })

export type Maintenance = SiteBody<'POST database/maintenance'>

export const maintainTables = (site: SitePlace, input: Maintenance) =>
  siteWork(site, 'POST database/maintenance', input)

/** The temporary users that have not ended. */
export const databaseUsersQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'database-users'],
    queryFn: async () => (await callSite(site, 'GET database/users')).users,
    retry: false,
    staleTime: 0,
    refetchInterval: 20_000,
  })

/** Returns the password, which is not stored; the query client never has it. */
export const createDatabaseUser = (site: SitePlace, body: SiteBody<'POST database/users'>) =>
  callSite(site, 'POST database/users', { body })

/** Ends a temporary user; returns a message about the outcome. */
export async function endDatabaseUser(site: SitePlace, user: string): Promise<string> {
  const answer = await callSite(site, 'POST database/users/end', { body: { user } })
  return 'message' in answer ? answer.message : ''
}

/** The browser gets the cookie with the answer: a page cannot read it. */
export const openDatabaseTool = (site: SitePlace, rights: UserRights): Promise<OpenedTool> =>
  callSite(site, 'POST database/tool', { body: { rights } })

export const exportAddress = ({ id, server_id }: SitePlace): string =>
  `/api/servers/${server_id}/sites/${id}/database/export`

/** The progress of the n-th export of this page; requested until the export has ended, or is not seen. */
export const exportQuery = (site: SitePlace, count: number) =>
  queryOptions({
    queryKey: ['site', site.id, 'export', count],
    queryFn: async () => (await callSite(site, 'GET database/export/progress')).export,
    enabled: count > 0,
    retry: false,
    staleTime: 0,
    refetchInterval: ({ state: { data, status, dataUpdateCount } }) =>
      status !== 'error' && (data || dataUpdateCount < 5) ? 1000 : false,
  })
