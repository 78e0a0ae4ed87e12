import { BULK_ITEM_STATUSES } from '#shared/values.ts'

/** What the address of the page holds. */
export interface BulkSearch {
  status?: (typeof BULK_ITEM_STATUSES)[number] | undefined
}

export function readBulkSearch(raw: Record<string, unknown>): BulkSearch {
  const status = BULK_ITEM_STATUSES.find((each) => each === raw.status)
  return status ? { status } : {}
}
