import type { FleetSiteIdsQuery, SITE_SORTS } from '#shared/api/fleet.ts'
import { SITE_STATUSES } from '#shared/values.ts'

/** The columns that sites can be sorted by. */
export type Sort = (typeof SITE_SORTS)[number]
type Filter = Exclude<keyof FleetSiteIdsQuery, 'sort' | 'order'>

/** Every filter of the API: what the address has is what is asked for. */
const FILTERS: Record<Filter, true> = {
  q: true,
  server_id: true,
  tag: true,
  status: true,
  health: true,
  php: true,
  tier: true,
  tls: true,
  framework: true,
  updates: true,
  expiring: true,
  managed: true,
  ignored: true,
  conflict: true,
}

/** The names of what narrows the sites down. */
export const NARROWING = Object.keys(FILTERS) as Filter[]

/** What the address of the page holds, as texts: which sites, in which order. */
export type SitesSearch = { [name in Filter]?: string } & { sort?: Sort; order?: 'asc' | 'desc' }

/** What is known of by name; whether the values are right is for the page to say. */
export function readSitesSearch(raw: Record<string, unknown>): SitesSearch {
  const names = [...NARROWING, 'sort', 'order'] as const
  const given = names.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])]))
}

const OUT_OF_TRASH = SITE_STATUSES.filter((status) => status !== 'trashed').join(',')

/** As the API takes it. What is in the trash is shown only when it is asked for. */
export function filterOf(search: SitesSearch): Record<string, string> {
  return { status: OUT_OF_TRASH, ...search }
}
