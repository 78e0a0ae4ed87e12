import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { type ActionOf, actionOf, type SiteActionType } from '#shared/operation-types.ts'
import type { SitePlan } from '#shared/sites/api/sites.ts'
import { call, type Sent, start } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'
import { callSite, type SitePlace } from './site-call.ts'

export const SITES_PER_PAGE = 100

/** As `GET /api/fleet/sites` takes them, but for pages. */
export type SitesFilter = Record<string, string | undefined>

/** One page of the sites that match; 1 is the first. */
export const sitesPageQuery = (filter: SitesFilter, page: number) =>
  queryOptions({
    queryKey: ['sites', filter, page],
    queryFn: ({ signal }) => {
      const query = { ...filter, page, per_page: SITES_PER_PAGE }
      return call('GET /api/fleet/sites', { query, signal })
    },
  })

/** The number of sites that match a filter. */
export const sitesCountQuery = (filter: SitesFilter) =>
  queryOptions({
    queryKey: ['sites', 'count', filter],
    queryFn: async ({ signal }) => {
      const query = { ...filter, page: 1, per_page: 1 }
      return (await call('GET /api/fleet/sites', { query, signal })).total
    },
  })

/** Sites that match a text that is being typed, requested after a pause in typing. */
export const typedSitesQuery = (
  q: string,
  { most, pause_ms }: Record<'most' | 'pause_ms', number>,
) =>
  queryOptions({
    queryKey: ['sites', 'typed', q, most],
    queryFn: async ({ signal }) => {
      await pause(signal, pause_ms)
      return call('GET /api/fleet/sites', { query: { q, per_page: most }, signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: false,
    retry: false,
  })

/** Rejects when something else is typed in the meantime. */
function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

/** Everything known of one site, requested more often while an operation runs on it. */
export const siteQuery = (id: number) =>
  queryOptions({
    queryKey: ['site', id],
    queryFn: () => getSite(id),
    refetchInterval: ({ state }) => (state.data?.operation_id ? 2_000 : 30_000),
  })

const getSite = async (site_id: number) =>
  (await call('GET /api/fleet/sites/:site_id', { params: { site_id } })).site

export type Site = Awaited<ReturnType<typeof getSite>>

/** The ids and places of all sites that match, at most 10,000, and how many there are. */
export const siteIdsQuery = (filter: SitesFilter) =>
  queryOptions({
    queryKey: ['site-ids', filter],
    queryFn: async ({ signal }) => {
      const { sites, total } = await call('GET /api/fleet/sites/ids', { query: filter, signal })
      return { sites: sites.map(({ id, server_id }): SitePlace => ({ id, server_id })), total }
    },
    // Ten thousand ids are not kept after use.
    gcTime: 0,
  })

export type NewSite = Sent<'POST /api/servers/:server_id/sites'>['body']

export type PlannedSite = z.infer<typeof SitePlan>

/** The plan of a new site, from the agent. */
export async function planSite(server_id: number, input: NewSite): Promise<PlannedSite> {
  const sent = { params: { server_id }, body: { ...input, dry_run: true } }
  const answer = await call('POST /api/servers/:server_id/sites', sent)
  if (!('plan' in answer && answer.plan)) throw new Error('The dashboard answered without a plan')
  return answer
}

/** Answers at once; the operation creates the site. */
export async function createSite(server_id: number, input: NewSite) {
  const sent = { params: { server_id }, body: input }
  const { body, operation_id } = await start('POST /api/servers/:server_id/sites', sent)
  if (!body || 'plan' in body) throw new Error('The dashboard answered with a plan')
  return { site: body.site, operation_id }
}

/** Does something to a site by its name alone; returns a message about the outcome. */
export async function takeAction(site: SitePlace, type: SiteActionType): Promise<string> {
  const path = actionOf(type).path as ActionOf<SiteActionType>['path']
  const answer = await callSite(site, `POST ${path}`)
  return 'message' in answer ? answer.message : ''
}

/** Hides a discovered site in lists and counts, or shows it again. */
export const ignoreSite = (site: SitePlace, ignored: boolean) =>
  callSite(site, 'PUT ignored', { body: { ignored } })

/** Returns the password, which the query client does not keep. */
export const readDatabasePassword = (site: SitePlace) =>
  withConfirmation(() => callSite(site, 'POST db-password'))

/** Sets a new password, which the query client never has. */
export const resetAdminPassword = (site: SitePlace) =>
  withConfirmation(() => callSite(site, 'POST admin-password'))

const LEAVING_MS = 2_000
const DEFAULT_MS = 30_000

/**
 * The sites in the trash, in the order of their permanent deletion; requested more often while one of
 * them is restored or deleted.
 */
export const trashQuery = queryOptions({
  queryKey: ['trash'],
  queryFn: async () => (await call('GET /api/trash')).trash,
  refetchInterval: ({ state: { data } }) =>
    data?.some(({ status }) => status !== 'trashed') ? LEAVING_MS : DEFAULT_MS,
})
