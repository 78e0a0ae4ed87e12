import { queryOptions } from '@tanstack/react-query'
import type { BulkItemView, BulkOperationView } from '#shared/api/bulk-operations.ts'
import { call } from './client.ts'

/** In addition to the feed, which reports changes immediately. */
const LIVE_MS = 5_000
const RECENT = 8
const PAGE = 500

export const isBulkActive = ({ finished_at }: Pick<BulkOperationView, 'finished_at'>): boolean =>
  finished_at === null

export const bulkQuery = (bulk_id: string) =>
  queryOptions({
    queryKey: ['bulk', bulk_id, 'state'],
    queryFn: async () =>
      (await call('GET /api/bulk-operations/:bulk_id', { params: { bulk_id } })).bulk_operation,
    refetchInterval: ({ state: { data } }) => (data && !isBulkActive(data) ? false : LIVE_MS),
  })

/** Running ones and the last that have ended, newest first. */
export const recentBulksQuery = queryOptions({
  queryKey: ['bulk', 'recent'],
  queryFn: async () => {
    const query = { limit: RECENT }
    return (await call('GET /api/bulk-operations', { query })).bulk_operations
  },
  refetchInterval: ({ state: { data } }) => (data?.some(isBulkActive) ? LIVE_MS : 30_000),
})

/** Those that wait until somebody resumes or cancels them. */
export const pausedBulksQuery = queryOptions({
  queryKey: ['bulk', 'recent', 'paused'],
  queryFn: async () => {
    const query = { status: 'paused', limit: RECENT }
    return (await call('GET /api/bulk-operations', { query })).bulk_operations
  },
})

/** All of its items, in the order in which they start; later changes are in its events. */
export const bulkItemsQuery = (bulk_id: string) =>
  queryOptions({
    queryKey: ['bulk', bulk_id, 'items'],
    queryFn: () => allItems(bulk_id),
    refetchInterval: false,
  })

async function allItems(bulk_id: string): Promise<BulkItemView[]> {
  const items: BulkItemView[] = []
  for (;;) {
    const query = { limit: PAGE, after: items.at(-1)?.position }
    const page = await call('GET /api/bulk-operations/:bulk_id/items', {
      params: { bulk_id },
      query,
    })
    items.push(...page.items)
    if (page.items.length < PAGE) return items
  }
}

export async function cancelBulk(bulk_id: string, force = false): Promise<BulkOperationView> {
  const sent = { params: { bulk_id }, body: { force } }
  return (await call('POST /api/bulk-operations/:bulk_id/cancel', sent)).bulk_operation
}

export async function resumeBulk(bulk_id: string): Promise<BulkOperationView> {
  const sent = { params: { bulk_id } }
  return (await call('POST /api/bulk-operations/:bulk_id/resume', sent)).bulk_operation
}

/** Retries the items that failed or were cancelled; returns the id of the new bulk operation. */
export async function retryBulk(bulk_id: string): Promise<string> {
  const answer = await call('POST /api/bulk-operations/:bulk_id/retry', { params: { bulk_id } })
  if (!('bulk_operation' in answer)) throw new Error('The dashboard answered with a plan')
  return answer.bulk_operation.id
}
