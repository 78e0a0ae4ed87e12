import { readSitesSearch, type SitesSearch } from '../sites/search.ts'

const FLAGS: Record<string, boolean> = { true: true, false: false }

/** The filters of the API as the address of the list of sites has them. */
export function sitesSearchOf(query: Record<string, string>): SitesSearch {
  const entries = Object.entries(query).map(([name, value]) => [name, FLAGS[value] ?? value])
  return readSitesSearch(Object.fromEntries(entries))
}
