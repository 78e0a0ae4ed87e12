import { queryOptions } from '@tanstack/react-query'
import { api, take } from './client.ts'

export const SITES_PER_PAGE = 100

/** As `GET /api/fleet/sites` takes them, but for pages. */
export type SitesFilter = Record<string, string | undefined>

/** One page of the sites that match; 1 is the first. */
export const sitesPageQuery = (filter: SitesFilter, page: number) =>
  queryOptions({
    queryKey: ['sites', filter, page],
    queryFn: ({ signal }) => {
      const query = { ...filter, page, per_page: SITES_PER_PAGE }
      return take(api.fleet.sites.get({ query, fetch: { signal } }))
    },
  })

/** Everything known of one site; asked for more often while something is done to it. */
export const siteQuery = (id: number) =>
  queryOptions({
    queryKey: ['site', id],
    queryFn: () => getSite(id),
    refetchInterval: ({ state }) => (state.data?.operation_id ? 2_000 : 30_000),
  })

const getSite = async (id: number) => (await take(api.fleet.sites({ site_id: id }).get())).site

export type Site = Awaited<ReturnType<typeof getSite>>

/** The ids of all sites that match, at most 10,000, and how many there are. */
export const siteIdsQuery = (filter: SitesFilter) =>
  queryOptions({
    queryKey: ['site-ids', filter],
    queryFn: async ({ signal }) => {
      const asked = api.fleet.sites.ids.get({ query: filter, fetch: { signal } })
      const { sites, total } = await take(asked)
      return { ids: sites.map(({ id }) => id), total }
    },
    // Ten thousand of them are not kept for the way back.
    gcTime: 0,
  })

/** Where a site is. */
export interface SitePlace {
  id: number
  server_id: number
}

const at = ({ id, server_id }: SitePlace) => api.servers({ server_id }).sites({ site_id: id })

/** Asked of the server itself, which may be offline: not again by itself. */
export const jobRunsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'job-runs'],
    queryFn: async ({ signal }) =>
      (await take(at(site)['job-runs'].get({ fetch: { signal } }))).runs,
    retry: false,
  })

export const purgeCache = (site: SitePlace) => take(at(site)['cache-purge'].post({}))

/** Hides a site that was found from lists and counts, or shows it again. */
export const ignoreSite = (site: SitePlace, ignored: boolean) =>
  take(at(site).ignored.put({ ignored }))

/** Never in the query client: it is shown, and gone. */
export const readDatabasePassword = (site: SitePlace) => take(at(site)['db-password'].post())

/** Sets a new one. Never in the query client. */
export const resetAdminPassword = (site: SitePlace) => take(at(site)['admin-password'].post())
