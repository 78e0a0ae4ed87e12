/** What the address of the page holds. */
export interface BulkSearch {
  status?: string | undefined
}

export function readBulkSearch(raw: Record<string, unknown>): BulkSearch {
  const status = String(raw.status ?? '')
  return status ? { status } : {}
}
