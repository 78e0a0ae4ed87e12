import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SITES_PER_PAGE, type SitesFilter, sitesPageQuery } from '#dashboard/web/api/sites.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'

/** Rows before and after the visible ones that are requested ahead. */
const AHEAD = 40

interface ShownSites {
  /** The shown sites: the previous ones until the requested ones have arrived. */
  filter: SitesFilter
  /** The total number of shown sites; undefined before the first answer. */
  total: number | undefined
  isChanging: boolean
  error: unknown
  refetch: () => void
}

/** The previous list stays until the first page of the requested one has arrived. */
export function useShown(requested: SitesFilter): ShownSites {
  const { data, error, refetch } = useQuery(sitesPageQuery(requested, 1))
  const [filter, setFilter] = useState(requested)
  const isChanging = JSON.stringify(filter) !== JSON.stringify(requested)
  if (isChanging && data) setFilter(requested)
  const before = useQuery({ ...sitesPageQuery(filter, 1), enabled: isChanging })
  return { filter, total: (data ?? before.data)?.total, isChanging, error, refetch }
}

/** The pages with the visible rows; `siteAt` finds a site by its position in the list. */
export function usePages(filter: SitesFilter, { first, last }: { first: number; last: number }) {
  const from = Math.floor(Math.max(0, first - AHEAD) / SITES_PER_PAGE)
  const to = Math.floor((last + AHEAD) / SITES_PER_PAGE)
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index + 1)
  const pages = useQueries({ queries: numbers.map((page) => sitesPageQuery(filter, page)) })
  const siteAt = (index: number): FleetSite | undefined =>
    pages[Math.floor(index / SITES_PER_PAGE) - from]?.data?.sites[index % SITES_PER_PAGE]
  return { siteAt, failed: pages.find(({ error }) => error) }
}
