import { onlyWithUnknown, type Texts, textsIn } from '#dashboard/web/ui/address.ts'
import type { OperationsQuery } from '#shared/operations/api/operations.ts'

const NAMES = ['status', 'type', 'server_id', 'site_id', 'bulk_id', 'before'] as const
/** The parameters of the address. `before` is the last operation of the previous page. */
export type OperationsSearch = Texts<(typeof NAMES)[number] & keyof OperationsQuery>

export const readOperationsSearch = (raw: Record<string, unknown>): OperationsSearch =>
  textsIn(raw, NAMES)

export const operationsSearch = onlyWithUnknown(readOperationsSearch, NAMES)
