import type { ActivityFilters } from '#dashboard/web/api/activity.ts'
import type { ActivityQuery } from '#shared/api/activity.ts'

/** What the address of the page holds, as texts. `before` is the last one of the page before. */
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

/** What is known of by name; whether the values are right is for the page to say. */
export function readActivitySearch(raw: Record<string, unknown>): ActivitySearch {
  const given = NAMES.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])]))
}
