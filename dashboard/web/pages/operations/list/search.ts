import type { OperationFilters } from '#dashboard/web/api/operations.ts'
import type { OperationsQuery } from '#shared/api/operations.ts'

/** What the address of the page holds, as texts. `before` is the last one of the page of the past before. */
export interface OperationsSearch extends OperationFilters {
  before?: string | undefined
}

const NAMES = [
  'status',
  'type',
  'server_id',
  'site_id',
  'bulk_id',
  'before',
] as const satisfies (keyof OperationsQuery)[]

/** What is known of by name; whether the values are right is for the page to say. */
export function readOperationsSearch(raw: Record<string, unknown>): OperationsSearch {
  const given = NAMES.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])]))
}
