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
    queryFn: async () => (await take(api.fleet.sites({ site_id: id }).get())).site,
    refetchInterval: ({ state }) => (state.data?.operation_id ? 2_000 : 30_000),
  })

const MOST_PER_PAGE = 500

/** The ids of all sites that match, at most `most`. */
export async function listSiteIds(filter: SitesFilter, most: number): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ids.length < most; page += 1) {
    const query = { ...filter, page, per_page: MOST_PER_PAGE }
    const { sites } = await take(api.fleet.sites.get({ query }))
    ids.push(...sites.map(({ id }) => id))
    if (sites.length < MOST_PER_PAGE) break
  }
  return ids.slice(0, most)
}
