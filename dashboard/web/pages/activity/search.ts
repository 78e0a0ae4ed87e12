import type { ActivityFilters } from '#dashboard/web/api/activity.ts'
import type { ActivityQuery } from '#shared/api/activity.ts'

/** The parameters of the address, as texts. `before` is the last entry of the previous page. */
export interface ActivitySearch extends ActivityFilters {
  before?: string | undefined
}

const NAMES = [
  'type',
  'status',
  'domain',
  'server_id',
  'before',
] as const satisfies (keyof ActivityQuery)[]

/** The known parameters; the page checks their values. */
export function readActivitySearch(raw: Record<string, unknown>): ActivitySearch {
  const given = NAMES.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])]))
}
