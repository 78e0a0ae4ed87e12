import { queryOptions } from '@tanstack/react-query'
import type { BulkItemView, BulkOperationView } from '#shared/api/bulk-operations.ts'
import { api, take } from './client.ts'

/** Beside the feed, which tells at once. */
const LIVE_MS = 5_000
const RECENT = 8
const PAGE = 500

export const isBulkActive = ({ finished_at }: Pick<BulkOperationView, 'finished_at'>): boolean =>
  finished_at === null

export const bulkQuery = (bulk_id: string) =>
  queryOptions({
    queryKey: ['bulk', bulk_id, 'state'],
    queryFn: async () => (await take(api['bulk-operations']({ bulk_id }).get())).bulk_operation,
    refetchInterval: ({ state: { data } }) => (data && !isBulkActive(data) ? false : LIVE_MS),
  })

/** Running ones and the last that have ended, newest first. */
export const recentBulksQuery = queryOptions({
  queryKey: ['bulk', 'recent'],
  queryFn: async () => {
    const query = { limit: RECENT }
    return (await take(api['bulk-operations'].get({ query }))).bulk_operations
  },
  refetchInterval: ({ state: { data } }) => (data?.some(isBulkActive) ? LIVE_MS : 30_000),
})

/** Those that wait for somebody to go on or to cancel them. */
export const pausedBulksQuery = queryOptions({
  queryKey: ['bulk', 'recent', 'paused'],
  queryFn: async () => {
    const query = { status: 'paused', limit: RECENT }
    return (await take(api['bulk-operations'].get({ query }))).bulk_operations
  },
})

/** All of its items, in the order in which they are begun; what changes later its events tell. */
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
    const page = await take(api['bulk-operations']({ bulk_id }).items.get({ query }))
    items.push(...page.items)
    if (page.items.length < PAGE) return items
  }
}

export async function cancelBulk(bulk_id: string, force = false): Promise<BulkOperationView> {
  return (await take(api['bulk-operations']({ bulk_id }).cancel.post({ force }))).bulk_operation
}

export async function resumeBulk(bulk_id: string): Promise<BulkOperationView> {
  return (await take(api['bulk-operations']({ bulk_id }).resume.post({}))).bulk_operation
}

/** The same for what failed or was cancelled; the id of the new one. */
export async function retryBulk(bulk_id: string): Promise<string> {
  const answer = await take(api['bulk-operations']({ bulk_id }).retry.post({}))
  if (!('bulk_operation' in answer)) throw new Error('The dashboard answered with a plan')
  return answer.bulk_operation.id
}
