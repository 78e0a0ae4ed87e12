import { onlyWithUnknown, textsIn } from '#dashboard/web/ui/address.ts'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import type { FleetSiteIdsQuery, SITE_SORTS } from '#shared/sites/api/site-filters.ts'

/** The columns that sites can be sorted by. */
export type Sort = (typeof SITE_SORTS)[number]
type Filter = Exclude<keyof FleetSiteIdsQuery, 'sort' | 'order'>

/** Every filter of the API, by its name in the address. */
const FILTERS: Record<Filter, true> = {
  q: true,
  server_id: true,
  tag: true,
  status: true,
  health: true,
  php: true,
  tier: true,
  wp_version: true,
  disk: true,
  errors: true,
  tls: true,
  framework: true,
  updates: true,
  expiring: true,
  managed: true,
  ignored: true,
  staging: true,
  conflict: true,
}

/** The names of all filters. */
export const NARROWING = Object.keys(FILTERS) as Filter[]

/** The filters and the order in the address, as texts. */
export type SitesSearch = { [name in Filter]?: string } & { sort?: Sort; order?: 'asc' | 'desc' }

const NAMES = [...NARROWING, 'sort', 'order'] as const

export const readSitesSearch = (raw: Record<string, unknown>) => textsIn(raw, NAMES) as SitesSearch

export const sitesSearch = onlyWithUnknown(readSitesSearch, NAMES)

const OUT_OF_TRASH = SITE_STATUSES.filter((status) => status !== 'trashed').join(',')

/** The query for the API. The trash is shown only on request. */
export function filterOf(search: SitesSearch): Record<string, string> {
  return { status: OUT_OF_TRASH, ...search }
}
