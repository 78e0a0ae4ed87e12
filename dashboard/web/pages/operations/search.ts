import type { OperationType } from '#shared/api/operations.ts'
import { OPERATION_STATUSES } from '#shared/values.ts'
import { OPERATION_NAMES } from '../../api/operation-words.ts'
import type { OperationFilters } from '../../api/operations.ts'

/** What the address of the page holds. `before` is the last one of the page of the past before. */
export interface OperationsSearch extends OperationFilters {
  before?: string | undefined
}

/** What is not understood is left out: an old or a mistyped address still shows operations. */
export function readOperationsSearch(raw: Record<string, unknown>): OperationsSearch {
  const status = OPERATION_STATUSES.find((each) => each === raw.status)
  const type: OperationType | undefined = OPERATION_NAMES.find(
    (each) => each.type === raw.type,
  )?.type
  return {
    ...(status && { status }),
    ...(type && { type }),
    ...(isId(raw.server_id) && { server_id: raw.server_id }),
    ...(isId(raw.site_id) && { site_id: raw.site_id }),
    ...(typeof raw.before === 'string' && /^[\w-]{22}$/.test(raw.before) && { before: raw.before }),
  }
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
