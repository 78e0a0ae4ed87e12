import type { OperationFilters } from '#dashboard/web/api/operations.ts'
import type { OperationsQuery } from '#shared/api/operations.ts'

/** The parameters of the address, as texts. `before` is the last operation of the previous page. */
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

/** The known parameters; the page checks their values. */
export function readOperationsSearch(raw: Record<string, unknown>): OperationsSearch {
  const given = NAMES.filter((name) => String(raw[name] ?? '') !== '')
  return Object.fromEntries(given.map((name) => [name, String(raw[name])]))
}
